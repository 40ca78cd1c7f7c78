import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { CollectionSpec } from '../../../store/port.ts';
import { idsOf, type Note, notesIn } from '../../support/notes.ts';
import { aDirectory, eachEngine } from '../../support/stores.ts';

const tagged: CollectionSpec = { name: 'notes', indexes: [{ name: 'tagged', keys: { owner: 1, tags: 1 } }], arrays: ['tags'] };

eachEngine('an index on the items of an array', (kind) => {
  it('is updated by every write', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', tags: ['red', 'red', 'big'] }, { _id: 'b', tags: ['red'] }, { _id: 'c' }], tagged);
    const red = () => idsOf(notes, { tags: 'red' });
    await notes.updateOne({ _id: 'c' }, { $addToSet: { tags: 'red' } });
    await notes.updateMany({ tags: 'big' }, { $pull: { tags: 'red' } });
    assert.equal(await red(), 'b c');
    await notes.updateOne({ _id: 'a' }, { $set: { tags: ['red'], open: true } });
    await notes.deleteOne({ _id: 'b' });
    assert.equal(await red(), 'a c');
    await notes.deleteMany({ tags: 'red' });
    assert.equal(await red(), '');
    await notes.insertOne({ _id: 'a', tags: ['blue'] });
    assert.equal(await idsOf(notes, { tags: { $in: ['red', 'blue'] } }), 'a');
  });
});

it("an array index is built if the collection's new version declares it, and is otherwise dropped", async (t) => {
  const path = `${aDirectory(t)}/store.db`;
  const plain: CollectionSpec = { ...tagged, indexes: [] };
  for (const [spec, found] of [
    [plain, 'a'],
    [tagged, 'a b'],
    [plain, 'a b c'],
    [tagged, 'a b c d'],
  ] as const) {
    const store = openEmbedded({ path });
    const notes = store.collection<Note>(spec);
    await notes.insertOne({ _id: found.slice(-1), tags: ['red'] });
    assert.equal(await idsOf(notes, { tags: 'red' }), found);
    await store.close();
  }
});
