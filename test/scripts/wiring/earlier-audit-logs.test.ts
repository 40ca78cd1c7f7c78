import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSealer } from '../../../runtime/sealing/seal.ts';
import type { AuditRow } from '../../../store/audit/entry.ts';
import type { Doc } from '../../../store/port.ts';
import { aGateway, type Gateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

const KEY_ROW = 'key of audit logs';

/** Takes away what builds before heads and marks did not write. */
async function asEarlier({ store, node }: Gateway): Promise<void> {
  const sealer = createSealer(node.secrets.deviceKeys);
  await store.collection<Doc>({ name: 'audit_heads', indexes: [] }).deleteMany({});
  const kept = store.collection<Doc & { readonly sealed: string }>({ name: 'sealed_samples', indexes: [] });
  const { sealed = '' } = (await kept.findOne({ _id: KEY_ROW })) ?? {};
  const [key = ''] = sealer.open(KEY_ROW, KEY_ROW, sealed).split(' ');
  assert.match(key, /^[0-9a-f]{64}$/);
  await kept.updateOne({ _id: KEY_ROW }, { $set: { sealed: sealer.seal(KEY_ROW, KEY_ROW, key) } });
}

eachStore('audit logs started by an earlier build', (kind) => {
  it('are still valid when this build starts, and reveal entries that are removed later', async (t) => {
    let gateway = await aGateway(t, { kind });
    const { api, id, tokens } = await gateway.signUp();
    for (const name of ['a', 'b', 'c']) await api('POST', '/v1/tags', { name, color: '#112233' });
    const rows = gateway.store.collection<AuditRow>({ name: 'audit', indexes: [] });
    await asEarlier(gateway);
    // Erased there, and so without a mark.
    await rows.updateOne({ tenant_id: id, seq: 2 }, { $unset: { detail: 1 } });
    gateway = await gateway.crash();
    const verified = async () => (await gateway.during(gateway.as(tokens.token)('GET', '/v1/audit/verify'))).body;
    assert.deepEqual(await verified(), { ok: true, from_seq: 1, to_seq: 4, first_bad_seq: null });
    await rows.deleteMany({ tenant_id: id, seq: { $gt: 3 } });
    await gateway.store.collection<Doc>({ name: 'audit_heads', indexes: [] }).deleteMany({});
    gateway = await gateway.crash();
    assert.deepEqual((await verified()).faults, [{ seq: 4, fault: 'head_missing' }]);
  });
});
