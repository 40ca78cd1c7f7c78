import assert from 'node:assert/strict';
import { it } from 'node:test';
import { usageIn } from '../../../../store/accounts/usage.ts';
import type { Collection, Doc, Store } from '../../../../store/port.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';

const january = '2026-01';

eachStore('the monthly message quota', (kind) => {
  it('can be used up exactly to its limit', async (t) => {
    const usage = usageIn(await kind.fresh(t));
    assert.equal(await usage.takeMessages('t1', january, 7, 10), true);
    assert.equal(await usage.takeMessages('t1', january, 4, 10), false);
    assert.equal(await usage.takeMessages('t1', january, 3, 10), true);
    assert.equal(await usage.takeMessages('t1', january, 1, 10), false);
    assert.equal(await usage.messages('t1', january), 10);
    assert.equal(await usage.takeMessages('t1', january, 11, 10), false);
  });

  it('is separate for each tenant and month', async (t) => {
    const usage = usageIn(await kind.fresh(t));
    assert.equal(await usage.takeMessages('t1', january, 10, 10), true);
    assert.equal(await usage.takeMessages('t2', january, 10, 10), true);
    assert.equal(await usage.takeMessages('t1', '2026-02', 10, 10), true);
    assert.equal(await usage.messages('t3', january), 0);
  });

  it('is enforced exactly for hundreds of concurrent requests on two nodes', async (t) => {
    const store = await kind.fresh(t);
    const nodes = [usageIn(store), usageIn(store)];
    const takes = Array.from({ length: 300 }, (_, nth) => nodes[nth % 2]!.takeMessages('t1', january, 1, 100));
    const taken = await Promise.all(takes);
    assert.equal(taken.filter(Boolean).length, 100);
    assert.equal(await nodes[0]!.messages('t1', january), 100);
  });

  it('is granted to requests in order of arrival, for as long as it lasts', async (t) => {
    const usage = usageIn(await kind.fresh(t));
    const taken = await Promise.all([5, 4, 2, 1, 1].map((count) => usage.takeMessages('t1', january, count, 10)));
    assert.deepEqual(taken, [true, true, false, true, false]);
  });

  it('is unlimited on a plan with overage', async (t) => {
    const usage = usageIn(await kind.fresh(t));
    await usage.takeMessages('t1', january, 100, 100);
    assert.equal(await usage.takeMessages('t1', january, 5, null), true);
    assert.equal(await usage.messages('t1', january), 105);
  });

  it('is refunded for unsent messages', async (t) => {
    const usage = usageIn(await kind.fresh(t));
    await usage.takeMessages('t1', january, 10, 10);
    await usage.giveBackMessages('t1', january, 4);
    assert.equal(await usage.messages('t1', january), 6);
    assert.equal(await usage.takeMessages('t1', january, 4, 10), true);
  });

  it('is counted in a single write for all requests of one event-loop tick', async (t) => {
    let writes = 0;
    const usage = usageIn(counting(await kind.fresh(t), () => (writes += 1)));
    await Promise.all(Array.from({ length: 50 }, () => usage.takeMessages('t1', january, 1, 1_000)));
    assert.equal(writes, 1);
  });

  it('is granted either in full or not at all, whichever write fails', async (t) => {
    for (let write = 1; write <= 8; write += 1) {
      const { store } = mortalStore(await kind.fresh(t), { write, isMade: false });
      const usage = usageIn(store);
      const answers = await Promise.allSettled([5, 4, 2, 1, 1].map((count) => usage.takeMessages('t1', january, count, 10)));
      const failed = answers.map(({ status }) => status === 'rejected');
      assert.deepEqual(failed, failed.toSorted(), 'those before keep their answer');
    }
  });

  it('causes almost no writes once it is exhausted', async (t) => {
    let writes = 0;
    const usage = usageIn(counting(await kind.fresh(t), () => (writes += 1)));
    await usage.takeMessages('t1', january, 10, 10);
    writes = 0;
    await Promise.all(Array.from({ length: 50 }, () => usage.takeMessages('t1', january, 1, 10)));
    assert.ok(writes <= 4, `${writes} writes`);
  });

  it('rejects pending requests if the store fails, and can be used again afterwards', async (t) => {
    let down = true;
    const usage = usageIn(
      counting(await kind.fresh(t), () => {
        if (down) throw new Error('no store');
      }),
    );
    const results = await Promise.allSettled([1, 2, 3].map(() => usage.takeMessages('t1', january, 1, 10)));
    assert.ok(results.every(({ status }) => status === 'rejected'));
    down = false;
    assert.equal(await usage.takeMessages('t1', january, 1, 10), true);
  });
});

/** The same store; the listener is told before each update. */
function counting(store: Store, received: () => void): Store {
  const listening = <T extends Doc>(collection: Collection<T>): Collection<T> =>
    new Proxy(collection, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'updateOne') return value.bind(target);
        return async (...call: unknown[]) => {
          received();
          return value.apply(target, call);
        };
      },
    });
  return { ...store, collection: (spec) => listening(store.collection(spec)) };
}
