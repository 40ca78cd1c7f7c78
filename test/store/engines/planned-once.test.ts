import assert from 'node:assert/strict';
import { DatabaseSync, constants as sqlite } from 'node:sqlite';
import { it } from 'node:test';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { type Note, noteSpec } from '../../support/notes.ts';
import { aDirectory } from '../../support/stores.ts';

it('a query is planned once, however often it runs', async (t) => {
  const { notes, plans } = await watchedNotes(aDirectory(t));
  const questions = [
    () => notes.find({ owner: 'ann' }).toArray(),
    () => notes.find({ owner: 'ann' }, { sort: { _id: 1 }, limit: 2, skip: 1 }).toArray(),
    () => notes.find({ _id: { $in: ['a', 'b', 'c'] }, owner: 'ann' }).toArray(),
    () => notes.countDocuments({ owner: 'ann' }, { limit: 2 }),
    () => notes.updateMany({ owner: 'ann' }, { $inc: { rank: 1 } }),
    () => notes.deleteMany({ owner: 'nobody' }),
  ];
  for (const ask of questions) {
    await ask();
    const before = plans();
    for (const _again of [1, 2]) await ask();
    assert.equal(plans() - before, 0, String(ask));
  }

  async function watchedNotes(directory: string) {
    const opened: DatabaseSync[] = [];
    const { prepare } = DatabaseSync.prototype;
    t.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, sql: string) {
      opened.push(this);
      return Reflect.apply(prepare, this, [sql]);
    });
    const store = openEmbedded({ path: `${directory}/store.db` });
    t.after(() => store.close());
    const own = store.collection<Note>(noteSpec);
    await store.prepare();
    let count = 0;
    // SQLite asks it about each part of a statement that it plans.
    for (const db of new Set(opened))
      db.setAuthorizer(() => {
        count += 1;
        return sqlite.SQLITE_OK;
      });
    await own.insertMany(['a', 'b', 'c'].map((_id) => ({ _id, owner: 'ann', rank: 1 })));
    return { notes: own, plans: () => count };
  }
});
