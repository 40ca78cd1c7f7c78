import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../../runtime/ids.ts';
import { insertPlaced, insertPlacedOfMany, type Placed, placesIndex } from '../../../store/patterns/places.ts';
import type { CollectionSpec, Store } from '../../../store/port.ts';
import { eachEngine } from '../../support/stores.ts';

interface Thing extends Placed {
  readonly tenant_id: string;
  readonly is_gone: boolean;
}

const here = { is_gone: false } as const;
const spec: CollectionSpec = { name: 'things', indexes: [{ name: 'by_tenant', keys: { tenant_id: 1 } }, placesIndex(here)] };

async function opened(store: Store) {
  const things = store.collection<Thing>(spec);
  await store.prepare();
  let last = 0;
  const add = (limit: number, tenant_id = 't1'): Promise<boolean> => {
    last += 1;
    return insertPlaced(things, { _id: `${last}`, tenant_id, ...here }, limit, here);
  };
  const many = async (count: number, limit: number): Promise<number> =>
    (await Promise.all(Array.from({ length: count }, () => add(limit)))).filter(Boolean).length;
  const goes = async (count: number): Promise<void> => {
    for (const { _id } of (await things.find({ tenant_id: 't1', ...here, place: { $gte: 0 } }, { sort: { place: 1 } }).toArray()).slice(
      0,
      count,
    ))
      await things.updateOne({ _id }, { $set: { is_gone: true } });
  };
  return { things, add, many, goes };
}

eachEngine("a tenant's limited slots", (kind) => {
  it('are each assigned exactly once by concurrent requests', async (t) => {
    const { things, add, many, goes } = await opened(await kind.fresh(t));
    assert.equal(await many(30, 10), 10);
    assert.equal(await add(10), false);
    assert.equal(await add(10, 'another'), true);
    await goes(3);
    assert.equal(await many(8, 10), 3);
    assert.equal(await things.countDocuments({ tenant_id: 't1', ...here }), 10);
  });

  it('are granted to all callers if there are enough slots', async (t) => {
    const { things, many } = await opened(await kind.fresh(t));
    for (let limit = 50; limit <= 200; limit += 50) assert.equal(await many(50, limit), 50);
    assert.equal(await things.countDocuments({ tenant_id: 't1', ...here }), 200);
  });

  it('become fewer after a downgrade, and are also taken by records stored without a slot', async (t) => {
    const { things, add, many, goes } = await opened(await kind.fresh(t));
    await things.insertOne({ _id: 'old', tenant_id: 't1', ...here });
    assert.equal(await many(8, 5), 4);
    assert.equal(await add(3), false);
    await goes(3);
    assert.equal(await many(6, 3), 1, 'two of five are left');
  });
});

interface Waiting extends Placed {
  readonly tenant_id: string;
  readonly session_id: string;
}

eachEngine('thousands of slots of a device', (kind) => {
  it('are each assigned exactly once', async (t) => {
    const store = await kind.fresh(t);
    const rows = store.collection<Waiting>({ name: 'waiting', indexes: [placesIndex({}, 'session_id')] });
    await store.prepare();
    const of = (nth: number, session_id = 'd1'): Waiting => ({ _id: newId(nth), tenant_id: 't1', session_id });
    const add = (nth: number, session_id?: string): Promise<boolean> =>
      insertPlacedOfMany(rows, of(nth, session_id), LIMIT, {}, 'session_id');
    assert.equal((await Promise.all(Array.from({ length: 60 }, (_, nth) => add(nth)))).filter(Boolean).length, 60);
    const rest = Array.from({ length: LIMIT - 60 - 5 }, (_, nth) => nth);
    for (const nth of rest) assert.equal(await add(nth), true);
    assert.equal((await Promise.all(Array.from({ length: 9 }, (_, nth) => add(nth)))).filter(Boolean).length, 5);
    assert.equal(await add(1, 'another'), true);
    const { _id } = (await rows.findOne({ session_id: 'd1', place: 77 }))!;
    await rows.deleteOne({ _id });
    assert.deepEqual([await add(2), await add(3)], [true, false]);
  });
});

const LIMIT = 200;
