import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { CollectionSpec, IndexSpec, Store } from '../../../store/port.ts';
import { idsOf, type Note, noteSpec } from '../../support/notes.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';

const run = promisify(execFile);
const spec = (...indexes: IndexSpec[]): CollectionSpec => ({ name: 'notes', indexes });
const byRank: IndexSpec = { name: 'by_rank', keys: { rank: 1 } };

/** Opens the same file again and again, and collects what it warns of. */
function aFile(scope: Scope) {
  const path = `${aDirectory(scope)}/deep/er/store.db`;
  const warnings: string[] = [];
  const open = (): Store => {
    const store = openEmbedded({ path, log: { warn: (details, message) => warnings.push(`${message} ${JSON.stringify(details)}`) } });
    scope.after(() => store.close());
    return store;
  };
  return { path, warnings, open };
}

describe("an embedded store's file", () => {
  it('keeps all data when closed and reopened', async (t) => {
    const { open, path } = aFile(t);
    const note: Note = { _id: 'a', owner: 'é\u{1F600}\u0000"\'', rank: 0.1, tags: [[], {}, null], place: {} };
    const first = open();
    await first.collection<Note>(noteSpec).insertOne(note);
    await first.close();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(await open().collection<Note>(noteSpec).findOne({ owner: note.owner! }), note);
  });

  it('can be copied completely with VACUUM INTO by another process during writes', async (t) => {
    const { open, path } = aFile(t);
    const notes = open().collection<Note>(noteSpec);
    for (let nth = 0; nth < 200; nth += 1) await notes.insertOne({ _id: `before${nth}`, owner: 'ann' });
    const copy = `${aDirectory(t)}/copy.db`;
    const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).prepare("VACUUM INTO ?").run(process.argv[2])';
    let isOver = false;
    const copying = run(process.execPath, ['-e', script, path, copy]).finally(() => {
      isOver = true;
    });
    for (let nth = 0; !isOver; nth += 1) await notes.insertOne({ _id: `meanwhile${nth}`, owner: 'ann' });
    await copying;
    const restored = openEmbedded({ path: copy });
    t.after(() => restored.close());
    const found = await restored.collection<Note>(noteSpec).find({ owner: 'ann' }).toArray();
    assert.equal(found.filter(({ _id }) => _id.startsWith('before')).length, 200);
  });

  it('keeps existing tables, indexes and triggers when reopened', async (t) => {
    const { open } = aFile(t);
    const lists: CollectionSpec = { name: 'lists', arrays: ['tags'], indexes: [{ name: 'tags', keys: { tags: 1 } }], expires: 'until' };
    const prepared = async (): Promise<void> => {
      const store = open();
      store.collection(noteSpec);
      store.collection(lists);
      await store.prepare();
      await store.close();
    };
    await prepared();
    const statements = t.mock.method(DatabaseSync.prototype, 'exec').mock;
    await prepared();
    assert.deepEqual(
      statements.calls.map(({ arguments: [sql] }) => sql).filter((sql) => !sql.startsWith('PRAGMA')),
      [],
    );
  });

  it('completes pending writes before it closes', async (t) => {
    const { open } = aFile(t);
    const first = open();
    const write = first.collection<Note>(noteSpec).insertOne({ _id: 'a' });
    await first.close();
    await write;
    assert.equal(await open().collection<Note>(noteSpec).countDocuments({}), 1);
  });

  it('cannot be opened twice, in the same process or another one', async (t) => {
    const { open, path } = aFile(t);
    const first = open();
    const refusal = `The store ${path} is open already: only one process may use an embedded store.`;
    assert.throws(open, { message: refusal });
    const module = JSON.stringify(new URL('../../../store/engines/embedded/embedded.ts', import.meta.url).href);
    const script = `import(${module}).then((m) => m.openEmbedded({ path: process.argv[1] }))`;
    await assert.rejects(run(process.execPath, ['-e', script, path]), (cause: Error) => cause.message.includes(refusal));
    await first.close();
    await open().ping();
  });

  it('gets newly declared indexes on its existing rows, and loses undeclared ones', async (t) => {
    const { open } = aFile(t);
    const first = open();
    const before = first.collection<Note>(spec(byRank));
    await before.insertMany(Array.from({ length: 2_500 }, (_, i) => ({ _id: `n${i}`, rank: i, owner: `o${i}` })));
    await first.close();

    const second = open();
    const after = second.collection<Note>(spec({ name: 'by_owner', keys: { owner: 1 } }));
    await after.updateOne({ _id: 'n7' }, { $set: { rank: 9_999 } });
    assert.equal(await idsOf(after, { owner: 'o2400' }), 'n2400');
    await second.close();

    const third = open().collection<Note>(spec(byRank));
    assert.equal(await idsOf(third, { rank: 9_999 }), 'n7', 'a column that was let go does not come back with what it held');
  });

  it('rejects a new unique index that existing documents violate, and remains unchanged', async (t) => {
    const { open } = aFile(t);
    const first = open();
    const notes = first.collection<Note>(spec(byRank));
    await notes.insertMany([
      { _id: 'a', owner: 'ann' },
      { _id: 'b', owner: 'ann' },
    ]);
    await first.close();
    const second = open();
    assert.throws(() => second.collection(spec({ name: 'u', keys: { owner: 1 }, unique: true })), /UNIQUE/);
    assert.equal(await idsOf(second.collection<Note>(spec(byRank)), { rank: null }), 'a b');
  });

  it('keeps all rows if it is reopened after its log grew past a checkpoint', async (t) => {
    const { open, path, warnings } = aFile(t);
    const first = open();
    const notes = first.collection<Note>(spec(byRank));
    const filler = 'x'.repeat(4_000);
    const insert = (i: number) => notes.insertOne({ _id: `n${i}`, rank: i, owner: filler });
    const empty = statSync(path).size;
    for (let i = 0; statSync(path).size <= empty; i += 100) {
      assert.ok(i < 20_000, 'no checkpoint has run');
      await Promise.all(Array.from({ length: 100 }, (_, n) => insert(i + n)));
    }
    const count = await notes.countDocuments({});
    await first.close();
    assert.equal(await open().collection<Note>(spec(byRank)).countDocuments({}), count);
    assert.deepEqual(warnings, []);
  });
});

describe('a query without an index', () => {
  it('is reported once for each query shape, unless an index can serve it', async (t) => {
    const { open, warnings } = aFile(t);
    const notes = open().collection<Note>(noteSpec);
    for (const owner of ['ann', 'bob']) {
      await notes.findOne({ _id: owner });
      await notes.find({ owner, rank: { $gt: 3 } }).toArray();
      await notes.find({ owner, status: 'waiting' }, { sort: { rank: 1 }, limit: 10 }).toArray();
      await notes.find({ open: true }).toArray();
      await notes.updateMany({ rank: { $gte: 5 } }, { $set: { open: false } });
      await notes.deleteMany({ _id: { $in: [owner, 'x', 'y'] } });
      await notes.countDocuments({ owner, slot: { $ne: null } });
      await notes.find({}).toArray();
    }
    assert.deepEqual(warnings, []);
    for (const room of ['x', 'y']) await notes.findOne({ 'place.room': room });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /reads a whole collection.*"collection":"notes".*place\.room/);
  });

  it('is not reported if its filter implies the condition of a partial index', async (t) => {
    const { open, warnings } = aFile(t);
    const queue: IndexSpec = { name: 'queue', keys: { lane: 1 }, where: { status: 'queued', tries: { $lt: 3 } } };
    const jobs = open().collection(spec(queue));
    await jobs.find({ status: 'queued', tries: 2 }, { sort: { lane: 1 } }).toArray();
    await jobs.find({ status: 'queued', tries: { $lte: 1 } }).toArray();
    assert.equal(warnings.length, 0);
    await jobs.find({ status: 'queued', tries: { $lt: 4 } }).toArray();
    await jobs.find({ status: 'done', tries: 1 }).toArray();
    assert.equal(warnings.length, 2);
  });
});
