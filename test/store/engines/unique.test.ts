import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isDuplicateKey } from '../../../store/port.ts';
import { idsOf, type Note, notesIn } from '../../support/notes.ts';
import { eachEngine } from '../../support/stores.ts';

const bySlot = { owner: 1, slot: 1 };

eachEngine('a unique key', (kind) => {
  it('belongs to only one document, and causes a duplicate error that names its fields', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', owner: 'ann', slot: '1' }]);
    await assert.rejects(notes.insertOne({ _id: 'a' }), { code: 11000, keyPattern: { _id: 1 } });
    await assert.rejects(notes.insertOne({ _id: 'b', owner: 'ann', slot: '1' }), { code: 11000, keyPattern: bySlot });
    await notes.insertOne({ _id: 'b', owner: 'ann', slot: '2' });
    await assert.rejects(notes.updateOne({ _id: 'b' }, { $set: { slot: '1' } }), { code: 11000, keyPattern: bySlot });
    assert.equal(await idsOf(notes, { slot: '1' }), 'a');
  });

  it('applies only to documents that have the field', async (t) => {
    const notes = await notesIn(kind, t);
    await notes.insertMany([
      { _id: 'a', owner: 'ann' },
      { _id: 'b', owner: 'ann' },
    ]);
    assert.equal(await idsOf(notes, { owner: 'ann' }), 'a b');
  });

  it('can be used again after its document has been removed', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', owner: 'ann', slot: '1' }]);
    await notes.deleteOne({ _id: 'a' });
    await notes.insertOne({ _id: 'b', owner: 'ann', slot: '1' });
    await notes.updateOne({ _id: 'b' }, { $unset: { slot: 1 } });
    await notes.insertOne({ _id: 'c', owner: 'ann', slot: '1' });
  });

  it('causes a duplicate error that can be distinguished from other errors', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', owner: 'ann' }]);
    const duplicate = await notes.insertOne({ _id: 'a' }).catch((cause: unknown) => cause);
    const shape = await notes.updateOne({ _id: 'a' }, { $inc: { owner: 1 } }).catch((cause: unknown) => cause);
    assert.deepEqual([isDuplicateKey(duplicate), isDuplicateKey(shape)], [true, false]);
  });

  it('stops an ordered insertMany at the duplicate, but does not stop an unordered one', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'b' }]);
    const some = (...ids: string[]): Note[] => ids.map((_id) => ({ _id }));
    await assert.rejects(notes.insertMany(some('a', 'b', 'c')), { code: 11000, insertedCount: 1 });
    assert.equal(await idsOf(notes, {}), 'a b');
    await assert.rejects(notes.insertMany(some('a', 'c', 'b', 'd'), { ordered: false }), { code: 11000, insertedCount: 2 });
    assert.equal(await idsOf(notes, {}), 'a b c d');
    assert.equal((await notes.insertMany(some('e', 'f'))).insertedCount, 2);
  });

  it('does not distort the count reported for a large unordered insertMany with duplicates', async (t) => {
    const taken = ['n03', 'n17', 'n18', 'n49'];
    const notes = await notesIn(
      kind,
      t,
      taken.map((_id) => ({ _id })),
    );
    const fifty = Array.from({ length: 50 }, (_, nth): Note => ({ _id: `n${String(nth).padStart(2, '0')}` }));
    await assert.rejects(notes.insertMany(fifty, { ordered: false }), { code: 11000, insertedCount: 46 });
    assert.equal(await notes.countDocuments({}), 50);
  });
});

eachEngine('concurrent writes', (kind) => {
  it('allow only one of fifty inserts with the same key', async (t) => {
    const notes = await notesIn(kind, t);
    const tries = Array.from({ length: 50 }, (_, i) => notes.insertOne({ _id: `n${i}`, owner: 'ann', slot: 'same' }));
    const settled = await Promise.allSettled(tries);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await notes.countDocuments({ slot: 'same' }), 1);
  });

  it('allow only one of fifty compare-and-set operations', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', rank: 1 }]);
    const tries = Array.from({ length: 50 }, (_, i) => notes.updateOne({ _id: 'a', rank: 1 }, { $set: { rank: 2, owner: `o${i}` } }));
    const results = await Promise.all(tries);
    assert.equal(results.filter(({ matchedCount }) => matchedCount === 1).length, 1);
  });

  it('do not lose increments', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', rank: 0 }]);
    await Promise.all(Array.from({ length: 100 }, () => notes.updateOne({ _id: 'a' }, { $inc: { rank: 1 } })));
    assert.equal((await notes.findOne({ _id: 'a' }))?.rank, 100);
  });

  it('execute every upsert of a key: one creates the document, and the others update it', async (t) => {
    const notes = await notesIn(kind, t);
    const byUpdate = () => notes.updateOne({ _id: 'a' }, { $inc: { rank: 1 }, $setOnInsert: { owner: 'ann' } }, { upsert: true });
    const byFinding = () => notes.findOneAndUpdate({ _id: 'a' }, { $inc: { rank: 1 } }, { upsert: true, returnDocument: 'after' });
    await Promise.all(Array.from({ length: 50 }, (_, nth) => (nth % 2 === 0 ? byUpdate() : byFinding())));
    assert.equal((await notes.findOne({ _id: 'a' }))?.rank, 50);
  });

  it('make an upsert fail if its guard excludes the document or its unique fields are taken', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'b', owner: 'ann', slot: '1', rank: 2 }]);
    const upsert = (filter: { _id: string; rank?: { $lt: number } }, slot: string) =>
      notes.updateOne(filter, { $set: { owner: 'ann', slot } }, { upsert: true });
    await assert.rejects(upsert({ _id: 'b', rank: { $lt: 2 } }, '2'), { code: 11000, keyPattern: { _id: 1 } });
    await assert.rejects(upsert({ _id: 'a' }, '1'), { code: 11000, keyPattern: { owner: 1, slot: 1 } });
  });

  it('hand out each waiting document to only one caller', async (t) => {
    const notes = await notesIn(
      kind,
      t,
      Array.from({ length: 20 }, (_, i) => ({ _id: `n${i}`, owner: 'ann', rank: i, status: 'waiting' })),
    );
    const take = () =>
      notes.findOneAndUpdate(
        { owner: 'ann', status: 'waiting' },
        { $set: { status: 'taken' } },
        { sort: { rank: 1 }, returnDocument: 'after' },
      );
    const taken = (await Promise.all(Array.from({ length: 30 }, take))).flatMap((note) => (note ? [note._id] : []));
    assert.equal(new Set(taken).size, taken.length);
    assert.equal(taken.length, 20);
  });
});

eachEngine('a sweep', (kind) => {
  it('removes all expired documents in one call', async (t) => {
    const store = await kind.fresh(t);
    const notes = store.collection<Note>({ name: 'notes', indexes: [], expires: 'goneAt' });
    await store.prepare();
    await notes.insertMany(Array.from({ length: 1_200 }, (_, i) => ({ _id: `n${i}`, goneAt: i < 1_100 ? 1_000 : 1_001 })));
    await notes.insertOne({ _id: 'forever' });
    assert.equal(await store.sweep(1_000), 1_100);
    assert.equal(await store.sweep(1_000), 0);
    assert.equal(await notes.countDocuments({}), 101);
  });
});

eachEngine('a store', (kind) => {
  it('responds to a ping, and rejects every call once it is closed', async (t) => {
    const store = await kind.fresh(t);
    const notes = store.collection<Note>({ name: 'notes', indexes: [] });
    await store.prepare();
    await store.ping();
    await store.close();
    await assert.rejects(notes.insertOne({ _id: 'late' }));
    await assert.rejects(notes.findOne({}));
    await assert.rejects(store.ping());
    await store.close();
  });
});
