import { tenantsSpec } from '../accounts/tenants.ts';
import { deviceSpec } from '../devices/devices.ts';
import type { Doc, Store } from '../port.ts';
import type { AuditLog, AuditVerdict } from './audit-log.ts';
import type { ChainHead } from './chain.ts';
import { OPERATOR_LOG } from './entry.ts';

export interface LogVerdict extends AuditVerdict {
  readonly log: string;
  /**
   * True if the account does not exist. Either its deletion did not remove the log, or someone
   * restored the log.
   */
  readonly isLeftover: boolean;
}

/** `published` contains heads kept elsewhere. If the store has devices, an operator log must exist. */
export async function* checkLogs(
  auditLog: Pick<AuditLog, 'known' | 'verify'>,
  store: Store,
  published: ReadonlyMap<string, readonly ChainHead[]> = new Map(),
): AsyncGenerator<LogVerdict> {
  const tenants = store.collection<Doc>(tenantsSpec);
  const logs = new Set([...(await auditLog.known()), ...published.keys()]);
  for (const { _id } of await tenants.find({}, { projection: { _id: 1 } }).toArray()) logs.add(_id).add(OPERATOR_LOG);
  if (await store.collection<Doc>(deviceSpec).findOne({})) logs.add(OPERATOR_LOG);
  for (const log of logs) {
    const verdict = await auditLog.verify(log, published.get(log));
    const isLeftover = log !== OPERATOR_LOG && (await tenants.countDocuments({ _id: log }, { limit: 1 })) === 0;
    // Omits a log that has only a head, left by a sign-up that stopped before storing its tenant.
    if (!isLeftover || verdict.to_seq > 0) yield { ...verdict, log, isLeftover };
  }
}
