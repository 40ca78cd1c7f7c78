import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type PushStore, pushIn, type SubscriptionRow } from '../../../store/push/push.ts';
import { interruptedStore } from '../../support/interrupted-store.ts';
import { eachStore } from '../../support/stores.ts';

const MOST = 2;
const aBrowser = (id: string, created_at: number): SubscriptionRow => ({
  _id: id,
  tenant_id: 'shop',
  agent_id: 'shop',
  role: 'admin',
  family: 'f',
  endpoint: `https://push.example/${id}`,
  p256dh: 'p',
  auth: 'a',
  lang: 'en',
  created_at,
});
const idsOf = async (push: PushStore) => (await push.list('shop')).map(({ _id }) => _id).sort();

eachStore("a login's newest push subscriptions", (kind) => {
  it('are kept even if the oldest browser subscribes again during cleanup', async (t) => {
    const store = await kind.fresh(t);
    const push = pushIn(store);
    await store.prepare();
    await push.subscribe(aBrowser('old', 1), MOST);
    await push.subscribe(aBrowser('new', 2), MOST);
    const reading = { name: 'push_subscriptions', reading: 'find' } as const;
    const other = pushIn(interruptedStore(store, reading, () => push.subscribe(aBrowser('old', 4), MOST)));
    await other.subscribe(aBrowser('third', 3), MOST);
    assert.deepEqual(await idsOf(push), ['old', 'third']);
  });

  it('never exceed the limit, even if many browsers subscribe concurrently', async (t) => {
    const store = await kind.fresh(t);
    const push = pushIn(store);
    await store.prepare();
    await Promise.all(Array.from({ length: 12 }, (_, nth) => push.subscribe(aBrowser(`b${nth}`, nth), MOST)));
    assert.deepEqual(await idsOf(push), ['b10', 'b11']);
  });
});
