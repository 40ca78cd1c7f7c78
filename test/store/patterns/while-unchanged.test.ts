import assert from 'node:assert/strict';
import { it } from 'node:test';
import { whileUnchanged } from '../../../store/patterns/while-unchanged.ts';
import { type Note, noteSpec } from '../../support/notes.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('a value that is cached while its collection is unchanged', (kind) => {
  it('is read again after each write, so it is never stale', async (t) => {
    const store = await kind.fresh(t);
    const notes = store.collection<Note>(noteSpec);
    await store.prepare();
    let readings = 0;
    const remembered = whileUnchanged<Note | null>(store, noteSpec, 10);
    const read = (_id: string) =>
      remembered(_id, () => {
        readings += 1;
        return notes.findOne({ _id });
      });
    assert.equal(await read('a'), null);
    await notes.insertOne({ _id: 'a', rank: 1 });
    assert.equal((await read('a'))?.rank, 1);
    await notes.updateOne({ _id: 'a' }, { $set: { rank: 2 } });
    assert.deepEqual([(await read('a'))?.rank, (await read('a'))?.rank], [2, 2]);
    assert.equal(readings, store.writesTo ? 3 : 4);
    await notes.deleteOne({ _id: 'a' });
    assert.equal(await read('a'), null);
  });
});
