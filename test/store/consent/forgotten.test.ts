import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testConsentsIn } from '../../support/consents.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('a forgotten person', (kind) => {
  it('stays opted out for the tenant that erased the person, but not for other tenants', async (t) => {
    const store = await kind.fresh(t);
    const consents = testConsentsIn(store);
    await store.prepare();
    const statuses = async (tenantId: string) => [...(await consents.statusOf(tenantId, ['62811'])).values()];
    const row = (tenantId: string) => consents.find(tenantId, '62811').then((found) => found?.status ?? null);
    for (const _look of [1, 2]) assert.deepEqual([await statuses('toko'), await row('toko'), await row('warung')], [[], null, null]);
    await consents.forget('toko', ['62811'], ['62811'], 1_000);
    assert.deepEqual([await statuses('toko'), await row('toko')], [['opted_out'], 'opted_out']);
    assert.deepEqual([await statuses('warung'), await row('warung')], [[], null]);
    assert.deepEqual([...(await consents.statusOf('toko', ['62812', '62811'])).entries()], [['62811', 'opted_out']]);
  });
});
