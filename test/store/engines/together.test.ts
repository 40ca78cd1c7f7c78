import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { type Collection, type CollectionSpec, type Doc, isDuplicateKey, isRefusedTogether, type Store } from '../../../store/port.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';

interface Note extends Doc {
  readonly n: number;
}

const spec: CollectionSpec = { name: 'notes', indexes: [] };

function notes(scope: Scope): { readonly store: Required<Store>; readonly notes: Collection<Note> } {
  const path = `${aDirectory(scope)}/notes.db`;
  const store = openEmbedded({ path });
  scope.after(() => store.close());
  assert.ok(isWhole(store));
  return { store, notes: store.collection<Note>(spec) };
}

const isWhole = (store: Store): store is Required<Store> => store.together !== undefined;

const reasonOf = (settled: PromiseSettledResult<unknown> | undefined): unknown => settled?.status === 'rejected' && settled.reason;

it('the writes in a group are stored together', async (t) => {
  const { store, notes: own } = notes(t);
  const written = store.together(() => [
    own.insertOne({ _id: 'a', n: 1 }),
    own.updateOne({ _id: 'a' }, { $inc: { n: 1 } }),
    own.updateOne({ _id: 'b' }, { $set: { n: 5 } }, { upsert: true }),
  ]);
  assert.equal(await own.findOne({ _id: 'a' }), null, 'nobody sees any of them before');
  await Promise.all(written);
  assert.deepEqual([(await own.findOne({ _id: 'a' }))?.n, (await own.findOne({ _id: 'b' }))?.n], [2, 5]);
});

it('a whole group is discarded if one of its writes is rejected, and each reason is reported', async (t) => {
  const { store, notes: own } = notes(t);
  await own.insertOne({ _id: 'taken', n: 1 });
  const before = own.insertOne({ _id: 'before', n: 1 });
  const group = store.together(() => [
    own.updateOne({ _id: 'taken' }, { $set: { n: 2 } }),
    own.insertOne({ _id: 'taken', n: 3 }),
    own.insertOne({ _id: 'after', n: 4 }),
  ]);
  const later = own.insertOne({ _id: 'later', n: 1 });
  const [first, second, third] = await Promise.allSettled(group);
  await Promise.all([before, later]);
  assert.deepEqual([await own.findOne({ _id: 'taken' }), await own.findOne({ _id: 'after' })], [{ _id: 'taken', n: 1 }, null]);
  assert.deepEqual(
    [first, second, third].map(reasonOf).map((cause) => [isRefusedTogether(cause), isDuplicateKey(cause)]),
    [
      [true, false],
      [false, true],
      [true, false],
    ],
  );
  assert.deepEqual(
    (await own.find({}, { sort: { _id: 1 } }).toArray()).map(({ _id, n }) => [_id, n]),
    [
      ['before', 1],
      ['later', 1],
      ['taken', 1],
    ],
  );
});

it('an empty group is accepted, and writes that began before an exception are kept', async (t) => {
  const { store, notes: own } = notes(t);
  assert.deepEqual(
    store.together(() => []),
    [],
  );
  assert.throws(() =>
    store.together(() => {
      void own.insertOne({ _id: 'begun', n: 1 });
      throw new Error('in the middle');
    }),
  );
  await own.insertOne({ _id: 'next', n: 1 });
  assert.equal(await own.countDocuments({}), 2);
});

it('a strict group of writes is rejected if one of the writes changes nothing', async (t) => {
  const { store, notes: own } = notes(t);
  await own.insertOne({ _id: 'a', n: 1 });
  const both = (n: number, isStrict?: boolean) =>
    store.together(() => [own.updateOne({ _id: 'a' }, { $inc: { n: 1 } }), own.updateOne({ _id: 'b', n }, { $set: { n: 2 } })], isStrict);
  const refused = await Promise.allSettled(both(1, true));
  assert.deepEqual([refused.map(({ status }) => status), (await own.findOne({ _id: 'a' }))?.n], [['rejected', 'rejected'], 1]);
  await Promise.all(both(1));
  await own.insertOne({ _id: 'b', n: 1 });
  await Promise.all(both(1, true));
  assert.deepEqual([(await own.findOne({ _id: 'a' }))?.n, (await own.findOne({ _id: 'b' }))?.n], [3, 2]);
});
