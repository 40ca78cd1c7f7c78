import type { Logger } from 'pino';
import { type AuditTrail, createAuditTrail } from '../../actors/services/audit/audit-trail.ts';
import { type AuditLog, auditLogIn } from '../../store/audit/audit-log.ts';
import { type AuditedStore, auditedStore } from '../../store/audit/audited-store.ts';
import { auditIntentsIn } from '../../store/audit/intents.ts';
import type { Store } from '../../store/port.ts';

export interface Audit {
  /** What every part of a node works with: its rows carry audit entries. */
  readonly store: AuditedStore;
  readonly auditLog: AuditLog;
  readonly audit: AuditTrail;
}

/** `key` signs the logs. */
export function openAudit(opened: Store, key: Buffer, log: Pick<Logger, 'warn'>): Audit {
  const auditLog = auditLogIn(opened, key);
  const store = auditedStore(opened, auditLog.append);
  const audit = createAuditTrail({
    auditLog,
    intents: auditIntentsIn(opened),
    carriers: store,
    failed: (cause) =>
      log.warn({ event: 'audit.entry_delayed', err: cause }, 'audit: an entry waits in its record; it is moved into the log later'),
  });
  return { store, auditLog, audit };
}

const DAY_MS = 86_400_000;

/**
 * Once a day, says in the node's own log where each audit log stood that got entries: a log cut short at its end, or written anew by somebody who
 * has the key, does not lead to that any more.
 */
export function headPublisher(auditLog: AuditLog, log: Pick<Logger, 'info'>): (now: number) => Promise<void> {
  let dueAt = Number.NEGATIVE_INFINITY;
  return async (now) => {
    if (now < dueAt) return;
    dueAt = now + DAY_MS;
    for (const tenant of await auditLog.tenantsSince(now - DAY_MS)) {
      const { seq, mac } = await auditLog.head(tenant);
      log.info({ event: 'audit.head', tenant, seq, mac }, 'audit head');
    }
  };
}
