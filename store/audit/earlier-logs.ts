import { tenantsSpec } from '../accounts/tenants.ts';
import type { Collection, Doc, Store } from '../port.ts';
import { type AuditLog, auditSpec } from './audit-log.ts';
import { erasedMark, isWritten, NO_HEAD } from './chain.ts';
import { type AuditRow, OPERATOR_LOG } from './entry.ts';
import { logHeadsIn } from './log-heads.ts';

/**
 * Adds heads to the logs of earlier versions. Runs only at the first start, because a new head
 * would hide that a log was truncated.
 */
export async function takeOverEarlierLogs(store: Store, key: Buffer, auditLog: Pick<AuditLog, 'known' | 'head'>): Promise<void> {
  const rows: Collection<AuditRow> = store.collection<AuditRow>(auditSpec);
  const heads = logHeadsIn(store, key);
  const logs = new Set(await auditLog.known()).add(OPERATOR_LOG);
  for await (const { _id } of store.collection<Doc>(tenantsSpec).find({}, { projection: { _id: 1 } })) logs.add(_id);
  for (const tenant_id of logs) {
    if (await heads.find(tenant_id)) continue;
    for await (const row of rows.find({ tenant_id, detail: { $exists: false }, erased: { $exists: false } }))
      if (isWritten(key, row)) await rows.updateOne({ _id: row._id }, { $set: { erased: erasedMark(key, row) } });
    await heads.begin(tenant_id);
    await heads.move(tenant_id, NO_HEAD, await auditLog.head(tenant_id));
  }
}
