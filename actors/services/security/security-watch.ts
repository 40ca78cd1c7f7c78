import { asError, Refusal } from '../../../runtime/errors.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import type { AuditRow } from '../../../store/audit/entry.ts';
import type { SecurityNotices } from '../../../store/security/security-notices.ts';
import type { EventLog } from '../events/event-log.ts';
import { isSecurityAction, noticeOf, type SecurityNotice } from './notice-of.ts';

export interface SecurityDeps {
  readonly auditLog: Pick<AuditLog, 'after' | 'tenantsSince'>;
  readonly notices: SecurityNotices;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  readonly now: () => number;
  addressHash(tenantId: string, address: string): string;
  /** From the platform's sender; the same key is delivered once. */
  sendText(digits: string, text: string, key: string): Promise<void>;
  /** Nobody could be told now; it is tried again. */
  failed(tenantId: string, cause: unknown): void;
}

/**
 * Tells the owner of a business, and those who name the events, of what concerns its security. What there is to tell is read from the audit log,
 * where each act has its entry, so that a crash leaves nobody without a notice; ids follow from the entry, so that nobody is told twice.
 */
export interface SecurityWatch {
  /** An entry was written: a hint, losing it costs a minute. */
  written(tenantId: string, action: string): void;
  /** Goes on with what is left, also of processes that died. */
  continueAll(now: number): Promise<void>;
}

/** Later nobody has a use for it. */
const LATEST_MS = 86_400_000;
/** What was written between two sweeps, with room for one that is late. */
const LOOK_BACK_MS = 10 * 60_000;
const BATCH = 100;

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

  async function record(row: AuditRow, { type }: SecurityNotice): Promise<void> {
    const { _id, tenant_id, at, action, actor_kind, actor_id, target_id, detail } = row;
    const actor = { kind: actor_kind, id: actor_id, name: detail?.actor_name ?? null };
    const data = { audit_id: _id, action, actor, address: detail?.address ?? null, target_id };
    await deps.eventLog.record(tenant_id, [{ session_id: null, type, row: `audit ${_id}`, occurred_at: at, data }]);
  }

  async function send(row: AuditRow, { text }: SecurityNotice): Promise<void> {
    const tenant = await deps.tenants.find(row.tenant_id);
    if (!tenant) return;
    try {
      await deps.sendText(tenant.phone, text[tenant.profile.locale], `security:${row._id}`);
    } catch (cause) {
      // The network does not take it for this number: a later one may get through.
      if (!(cause instanceof Refusal && cause.code === 'NOT_DELIVERED')) throw cause;
    }
  }

  async function follow(
    tenantId: string,
    field: 'recorded' | 'sent',
    tell: (row: AuditRow, notice: SecurityNotice) => Promise<void>,
  ): Promise<void> {
    let seq = (await notices.cursor(tenantId))[field];
    for (;;) {
      const rows = await auditLog.after(tenantId, seq, BATCH);
      for (const row of rows) {
        const notice = await noticeFor(row);
        if (notice) await tell(row, notice);
        seq = row.seq;
      }
      if (rows.length > 0) await notices.advance(tenantId, field, seq);
      if (rows.length < BATCH) return;
    }
  }

  async function work(tenantId: string): Promise<void> {
    behind.add(tenantId);
    await follow(tenantId, 'recorded', record);
    // A sender that is offline holds back messages only.
    await follow(tenantId, 'sent', send);
    behind.delete(tenantId);
  }

  /** One after the other: of many entries at once the last one's turn finds nothing left. */
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
      for (const tenantId of new Set([...behind, ...(await auditLog.tenantsSince(since))])) {
        if (!running.has(tenantId)) await run(tenantId);
      }
    },
  };
}
