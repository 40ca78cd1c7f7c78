import type { Sealer } from '../../runtime/sealing/seal.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import { takeOverEarlierLogs } from '../../store/audit/earlier-logs.ts';
import { OPERATOR_LOG } from '../../store/audit/entry.ts';
import { logHeadsIn } from '../../store/audit/log-heads.ts';
import { insertedOf } from '../../store/patterns/insert-missing.ts';
import type { Collection, Store } from '../../store/port.ts';
import { SEALED_SAMPLES } from './check-secret-keys.ts';

interface KeyRow {
  readonly _id: string;
  readonly sealed: string;
}

const ROW = 'key of audit logs';
/**
 * Suffix of a stored key. If it is missing, an earlier version stored the key, and its logs have no
 * heads yet.
 */
const WITH_HEADS = ' with heads';

const rowsIn = (store: Store): Collection<KeyRow> => store.collection<KeyRow>(SEALED_SAMPLES);
const keyOf = (opened: string): Buffer => Buffer.from(opened.replace(WITH_HEADS, ''), 'hex');

/** Returns the stored key. The first node stores `given`. Rejects if AUDIT_KEY is set and differs. */
export async function keepAuditKey(store: Store, sealer: Sealer, given: Buffer, isNamed: boolean): Promise<Buffer> {
  const rows = rowsIn(store);
  // Stores the operator log's head before the key, because once a key is stored, an operator log
  // without a head counts as deleted.
  if (!(await rows.findOne({ _id: ROW }))) await logHeadsIn(store, given).begin(OPERATOR_LOG);
  // If several nodes start at the same time, the first one determines the value.
  await insertedOf(rows, [{ _id: ROW, sealed: sealer.seal(ROW, ROW, given.toString('hex') + WITH_HEADS) }]);
  const key = await keptAuditKey(store, sealer, given);
  await sealAuditKey(store, sealer);
  if (isNamed && !key.equals(given))
    throw new Error(
      'AUDIT_KEY is not the key that signs the audit logs in this store: remove it (the store keeps that key, sealed), or give this node a store of its own.',
    );
  return key;
}

export async function takeOverAuditLogs(store: Store, sealer: Sealer, key: Buffer, auditLog: AuditLog): Promise<void> {
  const rows = rowsIn(store);
  const row = await rows.findOne({ _id: ROW });
  if (!row || sealer.open(ROW, ROW, row.sealed).endsWith(WITH_HEADS)) return;
  await takeOverEarlierLogs(store, key, auditLog);
  await rows.updateOne({ _id: ROW, sealed: row.sealed }, { $set: { sealed: sealer.seal(ROW, ROW, key.toString('hex') + WITH_HEADS) } });
}

/**
 * Returns the stored key, or `given` if none is stored. Also used by commands outside a node.
 * Throws SecretUnreadable.
 */
export async function keptAuditKey(store: Store, sealer: Sealer, given: Buffer): Promise<Buffer> {
  const row = await rowsIn(store).findOne({ _id: ROW });
  return row ? keyOf(sealer.open(ROW, ROW, row.sealed)) : given;
}

/** Seals the stored key with the current sealing key. Throws SecretUnreadable. */
export async function sealAuditKey(store: Store, sealer: Sealer): Promise<void> {
  const rows = rowsIn(store);
  const row = await rows.findOne({ _id: ROW });
  if (!row || sealer.isFresh(row.sealed)) return;
  await rows.updateOne({ _id: ROW, sealed: row.sealed }, { $set: { sealed: sealer.seal(ROW, ROW, sealer.open(ROW, ROW, row.sealed)) } });
}
