/**
 * The audit logs of a node. Every part of the node writes through the audited store, whose rows carry their
 * audit entries until these are moved into a log. Heads are published daily, so that a truncated log can be
 * detected.
 */

import type { Logger } from 'pino';
import { type AuditTrail, createAuditTrail } from '../../actors/services/audit/audit-trail.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import { RecentCache } from '../../runtime/recent-cache.ts';
import { type AuditLog, auditLogIn } from '../../store/audit/audit-log.ts';
import { type AuditedStore, auditedStore } from '../../store/audit/audited-store.ts';
import { OPERATOR_LOG } from '../../store/audit/entry.ts';
import { auditIntentsIn } from '../../store/audit/intents.ts';
import type { Store } from '../../store/port.ts';

export interface Audit {
  readonly store: AuditedStore;
  readonly auditLog: AuditLog;
  readonly audit: AuditTrail;
}

export function openAudit(opened: Store, key: Buffer, log: Pick<Logger, 'warn'>): Audit {
  const auditLog = auditLogIn(opened, key);
  const store = auditedStore(opened, auditLog.append);
  const audit = createAuditTrail({
    auditLog,
    intents: auditIntentsIn(opened),
    carriers: store,
    failed: (cause) =>
      log.warn({ event: 'audit.entry_delayed', err: cause }, 'audit: an entry is still in its record; it will be moved to the log later'),
  });
  return { store, auditLog, audit };
}

const DAY_MS = 86_400_000;
/** Reads this far back, because entries may be late, or come from a node whose clock is behind. */
const LOOK_BACK_MS = 10 * 60_000;
const OPERATOR_LOG_MS = 400 * DAY_MS;
const OPERATOR_CUT = 100;
const MAX_KNOWN = 5_000;

/** Remembers the heads of logs. A head lower than the previous one means that entries are missing. */
export class AuditHeads {
  readonly #known = new RecentCache<string, number>(MAX_KNOWN);
  published = 0;
  fallen = 0;

  /** Returns the previous head of this log if it was higher, otherwise null. */
  add(tenant: string, seq: number): number | null {
    const before = this.#known.get(tenant) ?? 0;
    this.#known.set(tenant, seq);
    this.published += 1;
    if (seq >= before) return null;
    this.fallen += 1;
    return before;
  }
}

export interface HeadDeps {
  readonly auditLog: AuditLog;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly auditHeads: AuditHeads;
  record: EventLog['record'];
}

/** Lists the logs once a day and publishes their heads. The next call retries heads that failed. */
export function headPublisher({ auditLog, log, auditHeads, record }: HeadDeps): (now: number) => Promise<void> {
  let listedAt: number | null = null;
  const left = new Set<string>();

  async function publish(tenant: string, now: number): Promise<void> {
    const { seq, mac } = await auditLog.head(tenant);
    if (tenant !== OPERATOR_LOG)
      await record(tenant, [{ session_id: null, type: 'audit.head', row: `audit ${seq}`, occurred_at: now, data: { seq, mac } }]);
    log.info({ event: 'audit.head', tenant, seq, mac }, 'audit head');
    const before = auditHeads.add(tenant, seq);
    if (before !== null) log.error({ event: 'audit.head_fell', tenant, seq, before }, 'an audit log ends earlier than before');
  }

  return async (now) => {
    if (listedAt === null || now >= listedAt + DAY_MS) {
      const since = listedAt === null ? now - DAY_MS : listedAt - LOOK_BACK_MS;
      for (const tenant of await auditLog.tenantsSince(since)) left.add(tenant);
      listedAt = now;
    }
    for (const tenant of left) {
      left.delete(tenant);
      await publish(tenant, now).catch((cause) => {
        left.add(tenant);
        throw cause;
      });
    }
  };
}

export const cutOperatorLog = ({ cut }: Pick<AuditLog, 'cut'>, now: number): Promise<number> =>
  cut(OPERATOR_LOG, now - OPERATOR_LOG_MS, OPERATOR_CUT);
