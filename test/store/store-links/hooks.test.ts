import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOOKS_PER_MS, hookIdOf, type StoreHookRow, storeHooksIn, storeHooksSpec } from '../../../store/store-links/hooks.ts';
import { eachStore } from '../../support/stores.ts';

const NOW = 1_790_000_000_000;

const hook = (link_id: string, at: number): Omit<StoreHookRow, '_id'> => ({
  ...{ tenant_id: 'one', link_id, no: at * HOOKS_PER_MS, topic: 'orders/create', body: null, shop_domain: null },
  ...{ pending: false, ref: `#${at - NOW}`, outcome: 'sent', detail: null, created_at: at, expires_at: at + 1 },
});

eachStore("an online store's webhooks", (kind) => {
  it('are listed newest first, and are counted and removed separately for each store', async (t) => {
    const store = await kind.fresh(t);
    const hooks = storeHooksIn(store);
    await store.prepare();
    for (const link of ['LINK1', 'LINK2', 'LINK3'])
      for (const ms of [0, 9, 10, 999, 86_400_000]) await hooks.addHandled(hook(link, NOW + ms));
    const refs = async (link: string, limit = 9) => (await hooks.list(link, limit)).map(({ link_id, ref }) => `${link_id} ${ref}`);
    assert.deepEqual(await refs('LINK2', 3), ['LINK2 #86400000', 'LINK2 #999', 'LINK2 #10']);
    assert.deepEqual([await hooks.countSince('LINK2', NOW + 10, 9), await hooks.countSince('LINK2', NOW, 2)], [3, 2]);
    await hooks.removeAll('LINK2');
    assert.deepEqual([await refs('LINK2'), (await refs('LINK1')).length, (await refs('LINK3')).length], [[], 5, 5]);
  });

  it("do not hide other stores' webhooks, even if many of them are waiting", async (t) => {
    const store = await kind.fresh(t);
    const hooks = storeHooksIn(store);
    await store.prepare();
    const waiting = (link: string, nth: number): StoreHookRow => {
      const row = { ...hook(link, NOW + nth), pending: true };
      return { ...row, _id: hookIdOf(row) };
    };
    const rows = Array.from({ length: 1_500 }, (_, nth) => waiting('LINK1', nth));
    await store.collection<StoreHookRow>(storeHooksSpec).insertMany([...rows, waiting('LINK2', 0), waiting('LINK3', 0)]);
    await hooks.addHandled(hook('LINK4', NOW));
    assert.deepEqual(
      (await hooks.waiting()).map(({ link_id }) => link_id),
      ['LINK1', 'LINK2', 'LINK3'],
    );
  });

  it('get unique, increasing ids even within one millisecond', async (t) => {
    const store = await kind.fresh(t);
    const hooks = storeHooksIn(store);
    await store.prepare();
    await hooks.add(hook('LINK2', NOW));
    const ids = [await hooks.add(hook('LINK1', NOW)), await hooks.add(hook('LINK1', NOW)), await hooks.add(hook('LINK1', NOW))];
    assert.deepEqual(
      ids,
      [0, 10, 20].map((nth) => `LINK1.${NOW * HOOKS_PER_MS + nth}`),
    );
    const [newest] = await hooks.list('LINK1', 1);
    assert.equal(newest?._id, ids[2]);
  });
});
