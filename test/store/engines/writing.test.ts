import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Update } from '../../../store/port.ts';
import { idsOf, type Note, notesIn } from '../../support/notes.ts';
import { eachEngine } from '../../support/stores.ts';

const first: Note = { _id: 'a', owner: 'ann', rank: 1, status: 'waiting', tags: ['x', 'y'], place: { floor: 1 } };

const edits: readonly (readonly [string, Update, Partial<Record<keyof Note, unknown>>])[] = [
  ['$set', { $set: { owner: 'bob', 'place.room': 'r' } }, { owner: 'bob', place: { floor: 1, room: 'r' } }],
  ['$set makes the objects on its way', { $set: { 'place.deep.er': 1 } }, { place: { floor: 1, deep: { er: 1 } } }],
  ['$set an object', { $set: { place: { room: 'q' } } }, { place: { room: 'q' } }],
  ['$unset', { $unset: { 'place.floor': 1, status: '' } }, { place: {}, status: undefined }],
  ['$unset what is not there', { $unset: { 'owner.none': 1 } }, {}],
  ['$inc', { $inc: { rank: 2, 'place.visits': -1 } }, { rank: 3, place: { floor: 1, visits: -1 } }],
  ['$push', { $push: { tags: 'x' } }, { tags: ['x', 'y', 'x'] }],
  ['$push an object to a new array', { $push: { log: { at: 1 } } }, { log: [{ at: 1 }] } as object],
  ['$push several, keep the last', { $push: { tags: { $each: [1, 2], $slice: -3 } } }, { tags: ['y', 1, 2] }],
  ['$push several, keep the first', { $push: { tags: { $each: [1], $slice: 1 } } }, { tags: ['x'] }],
  ['$addToSet what is there', { $addToSet: { tags: 'x' } }, {}],
  ['$addToSet several', { $addToSet: { tags: { $each: ['z', 'x', 'z'] } } }, { tags: ['x', 'y', 'z'] }],
  ['$pull', { $pull: { tags: 'x' } }, { tags: ['y'] }],
  ['$pull from nothing', { $pull: { none: 'x' } }, {}],
  ['$setOnInsert on an old document', { $setOnInsert: { owner: 'eve' } }, {}],
  ['several operators', { $set: { owner: 'bob' }, $inc: { rank: 1 }, $unset: { status: 1 } }, { owner: 'bob', rank: 2, status: undefined }],
];

eachEngine('an update', (kind) => {
  it('changes only the given fields', async (t) => {
    const notes = await notesIn(kind, t);
    for (const [name, update, change] of edits) {
      await notes.insertOne(first);
      const result = await notes.updateOne({ _id: 'a' }, update);
      const expected = JSON.parse(JSON.stringify({ ...first, ...change }));
      assert.deepEqual(await notes.findOne({ _id: 'a' }), expected, name);
      assert.equal(result.matchedCount, 1, name);
      assert.equal(result.modifiedCount, Object.keys(change).length === 0 ? 0 : 1, name);
      await notes.deleteOne({ _id: 'a' });
    }
  });

  it('makes the document match queries for its new values, and not for its old ones', async (t) => {
    const notes = await notesIn(kind, t, [first]);
    await notes.updateOne({ _id: 'a', status: 'waiting' }, { $set: { status: 'done', rank: -1, 'place.floor': 2 } });
    assert.equal(await idsOf(notes, { owner: 'ann', status: 'waiting' }), '');
    assert.equal(await idsOf(notes, { rank: { $gt: 0 } }), '');
    assert.equal(await idsOf(notes, { owner: 'ann', rank: -1 }), 'a');
    assert.equal(await idsOf(notes, { 'place.floor': 2 }), 'a');
  });

  it('changes nothing if its guard does not match', async (t) => {
    const notes = await notesIn(kind, t, [first]);
    const none = await notes.updateOne({ _id: 'a', rank: { $lt: 1 } }, { $set: { owner: 'bob' } });
    assert.equal(none.matchedCount, 0);
    assert.equal(await notes.findOneAndUpdate({ _id: 'a', owner: 'x' }, { $set: { rank: 9 } }, { returnDocument: 'after' }), null);
    assert.deepEqual(await notes.findOne({ _id: 'a' }), first);
  });

  it('rejects invalid document types, a changed id, and duplicate paths', async (t) => {
    const notes = await notesIn(kind, t, [first]);
    const bad: readonly Update[] = [
      { $inc: { owner: 1 } },
      { $set: { 'owner.name': 1 } },
      { $push: { owner: 1 } },
      { $set: { _id: 'b' } },
      { $set: { rank: 1 }, $inc: { rank: 1 } },
      { $set: { place: {}, 'place.floor': 1 } },
    ];
    for (const update of bad) await assert.rejects(notes.updateOne({ _id: 'a' }, update), Error, JSON.stringify(update));
    assert.deepEqual(await notes.findOne({ _id: 'a' }), first);
  });

  it('changes many documents, and reports how many were changed', async (t) => {
    const notes = await notesIn(kind, t, [first, { ...first, _id: 'b', owner: 'bob' }, { ...first, _id: 'c', status: 'done' }]);
    const result = await notes.updateMany({ status: 'waiting' }, { $set: { owner: 'bob' } });
    assert.deepEqual([result.matchedCount, result.modifiedCount], [2, 1]);
    assert.equal(await idsOf(notes, { owner: 'bob' }), 'a b');
  });

  it('changes the first document in the given order, and returns its state before or after the change', async (t) => {
    const notes = await notesIn(
      kind,
      t,
      [3, 1, 2].map((rank) => ({ _id: `n${rank}`, rank, status: 'waiting' })),
    );
    const take = (returnDocument: 'before' | 'after') =>
      notes.findOneAndUpdate({ status: 'waiting' }, { $set: { status: 'taken' } }, { sort: { rank: 1 }, returnDocument });
    assert.deepEqual(await take('after'), { _id: 'n1', rank: 1, status: 'taken' });
    assert.deepEqual(await take('before'), { _id: 'n2', rank: 2, status: 'waiting' });
    assert.equal(await idsOf(notes, { status: 'waiting' }), 'n3');
  });
});

eachEngine('an upsert', (kind) => {
  it("inserts the filter's equality values along with $setOnInsert and the other updates", async (t) => {
    const notes = await notesIn(kind, t);
    const filter = { _id: 'a', owner: 'ann', rank: { $gt: 5 }, $and: [{ status: { $eq: 'new' } }] };
    const update = { $setOnInsert: { open: true }, $inc: { visits: 1 }, $set: { 'place.floor': 3 } };
    const result = await notes.updateOne(filter, update, { upsert: true });
    assert.deepEqual([result.matchedCount, result.modifiedCount, result.upsertedCount], [0, 0, 1]);
    const expected = { _id: 'a', owner: 'ann', status: 'new', open: true, visits: 1, place: { floor: 3 } };
    assert.deepEqual(await notes.findOne({ _id: 'a' }), expected);
  });

  it('updates an existing document without $setOnInsert', async (t) => {
    const notes = await notesIn(kind, t, [first]);
    const update = { $setOnInsert: { open: true }, $inc: { rank: 1 } };
    const result = await notes.updateOne({ _id: 'a' }, update, { upsert: true });
    assert.deepEqual([result.matchedCount, result.modifiedCount, result.upsertedCount], [1, 1, 0]);
    assert.deepEqual(await notes.findOne({ _id: 'a' }), { ...first, rank: 2 });
  });

  it('fails with a duplicate error if its guard excludes the document', async (t) => {
    const notes = await notesIn(kind, t, [first]);
    const held = notes.updateOne({ _id: 'a', rank: { $lt: 1 } }, { $set: { owner: 'bob' } }, { upsert: true });
    await assert.rejects(held, { code: 11000, keyPattern: { _id: 1 } });
  });

  it('returns the new document, or null if the previous state is requested', async (t) => {
    const notes = await notesIn(kind, t);
    const upsert = (_id: string, returnDocument: 'before' | 'after') =>
      notes.findOneAndUpdate({ _id }, { $inc: { rank: 1 } }, { upsert: true, returnDocument });
    assert.deepEqual(await upsert('a', 'after'), { _id: 'a', rank: 1 });
    assert.equal(await upsert('b', 'before'), null);
  });
});

eachEngine('a removal', (kind) => {
  it('deletes one or all matching documents', async (t) => {
    const notes = await notesIn(
      kind,
      t,
      [...'abcd'].map((_id) => ({ _id, owner: _id < 'c' ? 'ann' : 'bob' })),
    );
    assert.deepEqual(await notes.findOneAndDelete({ _id: 'a' }), { _id: 'a', owner: 'ann' });
    assert.equal(await notes.findOneAndDelete({ _id: 'a' }), null);
    assert.equal((await notes.deleteOne({ owner: 'bob' })).deletedCount, 1);
    assert.equal((await notes.deleteMany({ owner: { $in: ['ann', 'bob'] } })).deletedCount, 2);
    assert.equal(await notes.countDocuments({}), 0);
  });
});
