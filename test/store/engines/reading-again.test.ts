import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Collection } from '../../../store/port.ts';
import { type Note, noteSpec, notesIn } from '../../support/notes.ts';
import { eachEngine } from '../../support/stores.ts';

/** Each changes or removes the note `a` of ann, which somebody has just read. */
const writes: readonly (readonly [string, (notes: Collection<Note>) => Promise<unknown>, Note | null])[] = [
  ['updateOne', (notes) => notes.updateOne({ _id: 'a' }, { $set: { owner: 'bob' } }), { _id: 'a', owner: 'bob' }],
  ['updateMany', (notes) => notes.updateMany({ owner: 'ann' }, { $set: { rank: 1 } }), { _id: 'a', owner: 'ann', rank: 1 }],
  [
    'findOneAndUpdate',
    (notes) => notes.findOneAndUpdate({ _id: 'a' }, { $set: { rank: 2 } }, { returnDocument: 'after' }),
    { _id: 'a', owner: 'ann', rank: 2 },
  ],
  ['deleteOne', (notes) => notes.deleteOne({ _id: 'a' }), null],
  ['deleteMany', (notes) => notes.deleteMany({ owner: 'ann' }), null],
  ['findOneAndDelete', (notes) => notes.findOneAndDelete({ _id: 'a' }), null],
];

eachEngine('a document that has been read before', (kind) => {
  for (const [name, write, expected] of writes) {
    it(`is up to date after ${name} if it is read together with another document`, async (t) => {
      const notes = await notesIn(kind, t, [{ _id: 'a', owner: 'ann' }, { _id: 'b' }]);
      const both = () => notes.find({ _id: { $in: ['b', 'a'] } }).toArray();
      for (const _look of [1, 2]) assert.deepEqual((await both()).toSorted(byId), [{ _id: 'a', owner: 'ann' }, { _id: 'b' }]);
      await write(notes);
      assert.deepEqual((await both()).toSorted(byId), [...(expected ? [expected] : []), { _id: 'b' }]);
    });

    it(`is up to date after ${name} if it is read alone`, async (t) => {
      const notes = await notesIn(kind, t, [{ _id: 'a', owner: 'ann' }]);
      for (const _look of [1, 2]) assert.deepEqual(await notes.findOne({ _id: 'a' }), { _id: 'a', owner: 'ann' });
      await write(notes);
      assert.deepEqual(await notes.findOne({ _id: 'a' }), expected);
    });
  }

  it('is returned only if it matches all conditions on its id', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a' }, { _id: 'b' }]);
    assert.deepEqual(await notes.find({ _id: { $in: ['a', 'b'], $gt: 'a' } }).toArray(), [{ _id: 'b' }]);
  });

  it('is compared by code point, and only with values of the same type', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', owner: '\uFFEE' }, { _id: 'b' }]);
    const fits = async (_id: string, owner: Record<string, string>) => (await notes.findOne({ _id, owner })) !== null;
    assert.deepEqual(
      [await fits('a', { $lt: '\u{1F600}' }), await fits('a', { $gt: '\u{1F600}' }), await fits('a', { $lte: '\uFFEE' })],
      [true, false, true],
    );
    assert.deepEqual([await fits('a', { $gte: 'z', $lt: '\uFFEE' }), await fits('b', { $gte: '' })], [false, false]);
  });

  it('is found by another query as soon as it is inserted', async (t) => {
    const notes = await notesIn(kind, t);
    for (const _look of [1, 2]) assert.equal(await notes.findOne({ _id: 'a', owner: 'ann' }), null);
    await notes.insertOne({ _id: 'a', owner: 'ann' });
    assert.deepEqual(await notes.findOne({ _id: 'a', owner: 'ann' }), { _id: 'a', owner: 'ann' });
    assert.equal(await notes.findOne({ _id: 'a', owner: 'bob' }), null);
  });

  it('is unchanged after a write that was rejected', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', owner: 'ann', slot: '1' }]);
    await notes.findOne({ _id: 'a' });
    await assert.rejects(notes.updateOne({ _id: 'a' }, { $inc: { owner: 1 } }));
    await assert.rejects(notes.insertOne({ _id: 'b', owner: 'ann', slot: '1' }));
    assert.deepEqual([await notes.findOne({ _id: 'a' }), await notes.findOne({ _id: 'b' })], [{ _id: 'a', owner: 'ann', slot: '1' }, null]);
  });

  it('is no longer found after a sweep has removed it', async (t) => {
    const store = await kind.fresh(t);
    const notes = store.collection<Note>(noteSpec);
    await store.prepare();
    await notes.insertOne({ _id: 'a', goneAt: 1 });
    await notes.findOne({ _id: 'a' });
    await store.sweep(2);
    assert.equal(await notes.findOne({ _id: 'a' }), null);
  });

  it('is returned to each reader as a separate copy', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', tags: ['x'], place: { floor: 1 } }]);
    const mine: { tags?: unknown } = (await notes.findOne({ _id: 'a' }))!;
    mine.tags = 'scribbled over';
    assert.deepEqual(await notes.findOne({ _id: 'a' }, { projection: { place: 0 } }), { _id: 'a', tags: ['x'] });
    assert.deepEqual(await notes.findOne({ _id: 'a' }), { _id: 'a', tags: ['x'], place: { floor: 1 } });
  });
});

const byId = (one: Note, other: Note): number => (one._id < other._id ? -1 : 1);
