import { asError, Refusal } from '../../../runtime/errors.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import type { AuditRow } from '../../../store/audit/entry.ts';
import type { SecurityNotices } from '../../../store/security/security-notices.ts';
import type { EventLog } from '../events/event-log.ts';
import { isExport, isSecurityAction, moreChanges, noticeOf, type SecurityNotice } from './notice-of.ts';

export interface SecurityDeps {
  readonly auditLog: Pick<AuditLog, 'after' | 'tenantsSince'>;
  readonly notices: SecurityNotices;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  readonly now: () => number;
  addressHash(tenantId: string, address: string): string;
  sendText(digits: string, text: string, key: string): Promise<void>;
  failed(tenantId: string, cause: unknown): void;
}

/** Security notices are derived from the audit log, so that a crash neither loses nor repeats any. */
export interface SecurityWatch {
  /** Notifies of an audit entry. If the notification is lost, the notice is a minute late. */
  written(tenantId: string, action: string): void;
  continueAll(now: number): Promise<void>;
}

const LATEST_MS = 86_400_000;
const LOOK_BACK_MS = 10 * 60_000;
const BATCH = 100;
/** Texts per owner and hour. They share a number with one-time codes, so it must not get blocked. */
const MAX_TEXTS = 5;
const HOUR_MS = 3_600_000;

interface Sent {
  readonly sent: number;
  readonly texts: number;
  readonly held: number;
  readonly exported_at: number | undefined;
}

/** Returns false if the hour began in the future, because the clock was then set back. */
const isSameHour = (since: number | undefined, at: number): boolean => since !== undefined && at >= since && at - since < HOUR_MS;

export function createSecurityWatch(deps: SecurityDeps): SecurityWatch {
  const { auditLog, notices, now } = deps;
  const running = new Map<string, Promise<void>>();
  const behind = new Set<string>();
  let lookedAt: number | null = null;

  async function noticeFor(row: AuditRow): Promise<SecurityNotice | null> {
    if (row.at < now() - LATEST_MS) return null;
    const notice = noticeOf(row);
    if (!notice || row.action !== 'login.create') return notice;
    const { _id, tenant_id, actor_id, detail, at } = row;
    if (!detail?.address) return null;
    const hash = deps.addressHash(tenant_id, detail.address);
    return (await notices.isNewAddress(`${tenant_id}:${actor_id}`, hash, _id, at)) ? notice : null;
  }

  async function record({ _id, tenant_id, at }: AuditRow, { type, data }: SecurityNotice): Promise<void> {
    await deps.eventLog.record(tenant_id, [{ session_id: null, type, row: `audit ${_id}`, occurred_at: at, data }]);
  }

  async function send(tenantId: string, text: SecurityNotice['text'], key: string): Promise<void> {
    const tenant = await deps.tenants.find(tenantId);
    if (!tenant) return;
    try {
      await deps.sendText(tenant.phone, text[tenant.profile.locale], `security:${key}`);
    } catch (cause) {
      // The network rejected this message. It may accept a later one, so continue.
      if (!(cause instanceof Refusal && cause.code === 'NOT_DELIVERED')) throw cause;
    }
  }

  async function recordAll(tenantId: string): Promise<void> {
    let seq = (await notices.cursor(tenantId)).recorded;
    for (;;) {
      const rows = await auditLog.after(tenantId, seq, BATCH);
      for (const row of rows) {
        const notice = await noticeFor(row);
        if (notice) await record(row, notice);
        seq = row.seq;
      }
      if (rows.length > 0) await notices.recorded(tenantId, seq);
      if (rows.length < BATCH) return;
    }
  }

  /** Without `maySend`, sends nothing and only counts in `held`. Exports in the same hour share a notice. */
  async function sendNext(rows: readonly AuditRow[], maySend: boolean, exportedAt: number | undefined): Promise<Sent> {
    let [sent, held, exported_at] = [0, 0, exportedAt];
    for (const row of rows) {
      sent = row.seq;
      const notice = await noticeFor(row);
      if (!notice) continue;
      if (isExport(notice)) {
        if (isSameHour(exported_at, row.at)) continue;
        exported_at = row.at;
      }
      if (maySend) {
        await send(row.tenant_id, notice.text, row._id);
        return { sent, texts: 1, held, exported_at };
      }
      held += 1;
    }
    return { sent, texts: 0, held, exported_at };
  }

  /** Sends all notices. The cursor is stored after each one, so that any process can continue. */
  async function sendAll(tenantId: string): Promise<void> {
    for (;;) {
      const before = await notices.cursor(tenantId);
      const isNewHour = !isSameHour(before.hour_from, now());
      const { sent, hour_from = 0, texts = 0, held = 0, exported_at } = isNewHour ? { ...before, hour_from: now(), texts: 0 } : before;
      if (isNewHour && held > 0) {
        await send(tenantId, moreChanges(held), `${tenantId}:${sent}`);
        await notices.advance(before, { sent, hour_from, texts: 1, held: 0 });
        continue;
      }
      const rows = await auditLog.after(tenantId, sent, BATCH);
      if (rows.length === 0) return;
      const more = await sendNext(rows, texts < MAX_TEXTS, exported_at);
      const { sent: upTo, exported_at: exportedAt } = more;
      const exporting = exportedAt === undefined ? {} : { exported_at: exportedAt };
      await notices.advance(before, { sent: upTo, hour_from, texts: texts + more.texts, held: held + more.held, ...exporting });
    }
  }

  async function work(tenantId: string): Promise<void> {
    behind.add(tenantId);
    await recordAll(tenantId);
    // Texts come last. If the sender is offline, they are delayed, but the events are not.
    await sendAll(tenantId);
    behind.delete(tenantId);
  }

  /** Runs once at a time per tenant. If several entries arrive together, later runs do nothing. */
  function run(tenantId: string): Promise<void> {
    const turn = (running.get(tenantId) ?? Promise.resolve())
      .then(() => work(tenantId))
      .catch((cause) => deps.failed(tenantId, asError(cause)));
    const settled = turn.finally(() => running.get(tenantId) === settled && running.delete(tenantId));
    running.set(tenantId, settled);
    return settled;
  }

  return {
    written(tenantId, action) {
      if (isSecurityAction(action)) void run(tenantId);
    },

    async continueAll(at) {
      const since = lookedAt === null ? at - LATEST_MS : lookedAt - LOOK_BACK_MS;
      lookedAt = at;
      for (const tenantId of new Set([...behind, ...(await auditLog.tenantsSince(since)), ...(await notices.held(at - HOUR_MS))])) {
        if (!running.has(tenantId)) await run(tenantId);
      }
    },
  };
}
