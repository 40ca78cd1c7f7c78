import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { newId } from '../../../../runtime/ids.ts';
import { at } from '../../../../runtime/invariant.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { Gathering } from '../../../../store/engines/mongo/gathering.ts';
import { Insertions } from '../../../../store/engines/mongo/insertions.ts';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { isUnavailable } from '../../../../store/engines/unavailable.ts';
import { type Collection, isDuplicateKey, type Store } from '../../../../store/port.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aDatabase } from '../../../support/stores.ts';

const isThere = Boolean(process.env['MONGODB_URL']);

/** Notes, and how often the server was asked for what since one last looked. */
async function notesOn(t: TestContext): Promise<{
  store: Store;
  notes: Collection<Note>;
  asked: () => Readonly<Record<string, number>>;
}> {
  let counted: Record<string, number> = {};
  const asked = (command: string): void => {
    counted[command] = (counted[command] ?? 0) + 1;
  };
  const store = await openMongo({ url: aDatabase(t), asked });
  t.after(() => store.close());
  const notes = store.collection<Note>(noteSpec);
  await store.prepare();
  const look = (): Readonly<Record<string, number>> => {
    const seen = counted;
    counted = {};
    return seen;
  };
  look();
  return { store, notes, asked: look };
}

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, nth) => `n${String(nth).padStart(3, '0')}`);

const unsafe = <T>(value: unknown): T => value as T;

/** What becomes of a row, and of those inserted just before and after it. */
async function besides(notes: Pick<Collection<Note>, 'insertOne'>, row: Note): Promise<readonly string[]> {
  const settled = await Promise.allSettled([{ _id: newId(1) }, row, { _id: newId(1) }].map((one) => notes.insertOne(one)));
  return settled.map(({ status }) => status);
}

describe('concurrent calls to MongoDB', { skip: !isThere && 'MONGODB_URL is not set' }, () => {
  it('insert new rows in a single command', async (t) => {
    const { notes, asked } = await notesOn(t);
    const ids = numbered(60);
    await Promise.all(ids.map((_id) => notes.insertOne({ _id, owner: 'ann' })));
    assert.deepEqual(asked(), { insert: 1 });
    assert.equal(await notes.countDocuments({ owner: 'ann' }), 60);
  });

  it('read rows by id in a single command, each call with its own conditions', async (t) => {
    const { notes, asked } = await notesOn(t);
    await notes.insertMany([
      { _id: 'a', owner: 'ann', tags: ['x'] },
      { _id: 'b', owner: 'bob' },
    ]);
    asked();
    const [own, foreign, none, both, tagged] = await Promise.all([
      notes.findOne({ _id: 'a', owner: 'ann' }),
      notes.findOne({ _id: 'b', owner: 'ann' }),
      notes.findOne({ _id: 'c' }),
      notes.find({ _id: { $in: ['b', 'none', 'a'] } }).toArray(),
      notes.findOne({ _id: 'a', tags: 'x' }),
    ]);
    assert.deepEqual([own?._id, foreign, none, both.map(({ _id }) => _id), tagged?._id], ['a', null, null, ['a', 'b'], 'a']);
    assert.deepEqual(asked(), { find: 2 }, 'a condition on a list is a question of its own');
  });

  it('are rejected individually, with the same errors as separate calls', async (t) => {
    const { notes } = await notesOn(t);
    await notes.insertOne({ _id: 'taken', owner: 'ann', slot: 'one' });
    const circle: Record<string, unknown> = {};
    const rows: Note[] = [
      { _id: 'before', owner: 'ann' },
      { _id: 'taken' },
      { _id: 'slot', owner: 'ann', slot: 'one' },
      { _id: 'after', owner: 'ann' },
    ];
    const settled = await Promise.allSettled(rows.map((row) => notes.insertOne(row)));
    const keys = settled.map((one) => (one.status === 'rejected' && isDuplicateKey(one.reason) ? one.reason.keyPattern : null));
    assert.deepEqual(keys, [null, { _id: 1 }, { owner: 1, slot: 1 }, null]);
    circle['circle'] = circle;
    const [odd, beside] = await Promise.allSettled([
      notes.insertOne({ _id: 'odd', place: { room: circle } }),
      notes.insertOne({ _id: 'beside' }),
    ]);
    assert.deepEqual([odd.status, beside.status], ['rejected', 'fulfilled']);
    assert.equal(await notes.countDocuments({}), 4);
  });

  it('are rejected individually if the server cannot store or parse a document', async (t) => {
    const { store, notes, asked } = await notesOn(t);
    const place: Note['place'] = { room: 'x'.repeat(16 * 2 ** 20) };
    const odd: readonly Note[] = [{ _id: 'large', place }, unsafe<Note>({ _id: ['a', 'list'] })];
    const settled = await Promise.all(odd.map((row) => besides(notes, row)));
    assert.deepEqual(settled, Array(2).fill(['fulfilled', 'rejected', 'fulfilled']));
    const other = store.collection<Note>({ name: 'system.views', indexes: [] });
    // As a server that finds a document nested too deeply: it refuses the command as a whole, and writes none of it.
    const strict: Pick<Collection<Note>, 'insertOne' | 'insertMany'> = {
      insertOne: (row) => (row._id === 'deep' ? other : notes).insertOne(row),
      insertMany: (rows) => other.insertMany(rows, { ordered: false }),
    };
    const insertions = new Insertions<Note>(strict);
    asked();
    assert.deepEqual(await besides({ insertOne: (row) => insertions.insert(row) }, { _id: 'deep' }), [
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    assert.deepEqual(asked(), { insert: 3 }, 'all at once, who is refused, and the two others');
    assert.equal(await notes.countDocuments({}), 6);
  });

  it('return frozen documents if several callers share them', async (t) => {
    const { notes } = await notesOn(t);
    await notes.insertOne({ _id: 'a', place: { floor: 1 } });
    const [first, second] = await Promise.all([notes.findOne({ _id: 'a' }), notes.findOne({ _id: 'a' })]);
    assert.throws(() => Object.assign(first?.place ?? {}, { floor: 2 }), TypeError);
    assert.equal(second?.place?.floor, 1);
  });

  it('fail together as unavailable if the server cannot be reached', async (t) => {
    const url = aDatabase(t);
    const store = await openMongo({ url });
    const notes = store.collection<Note>(noteSpec);
    await store.close();
    const settled = await Promise.allSettled([...numbered(3).map((_id) => notes.insertOne({ _id })), notes.findOne({ _id: 'a' })]);
    for (const one of settled) assert.equal(one.status === 'rejected' && isUnavailable(one.reason), true);
  });
});

it('calls that arrive during a command are batched, and sent after its response or after 2 ms', async () => {
  const clock = new VirtualClock();
  const commands: { asked: readonly number[]; answer: () => void }[] = [];
  const gathering = new Gathering<number>((asked) => new Promise((answer) => commands.push({ asked, answer })), clock);
  gathering.add(1);
  gathering.add(2);
  await turn();
  gathering.add(3);
  await turn();
  gathering.add(4);
  assert.deepEqual(
    commands.map(({ asked }) => asked),
    [[1, 2]],
  );
  at(commands, 0).answer();
  await turn();
  await turn();
  assert.deepEqual(
    commands.map(({ asked }) => asked),
    [
      [1, 2],
      [3, 4],
    ],
  );
  gathering.add(5);
  await clock.advance(2);
  assert.deepEqual(at(commands, 2).asked, [5], 'nobody waits longer for another one’s answer');
});
