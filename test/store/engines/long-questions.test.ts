import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { isUnavailable } from '../../../store/engines/unavailable.ts';
import { type Note, noteSpec } from '../../support/notes.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';
import { ranDuring } from './visited-rows.ts';

const MANY = 20_000;
const tagsOf = (nth: number): string[] => [nth % 2 ? 'odd' : 'even', ...(nth % 1_000 ? [] : ['few'])];

/** An embedded store with a large collection, which lets go of everything by itself unless the story does. */
async function manyNotes(scope: Scope) {
  const path = `${aDirectory(scope)}/store.db`;
  const store = openEmbedded({ path });
  const notes = store.collection<Note>({ ...noteSpec, indexes: [{ name: 'tagged', keys: { owner: 1, tags: 1, rank: -1 } }] });
  await notes.insertMany(Array.from({ length: MANY }, (_, nth) => ({ _id: `n${nth}`, owner: 'ann', rank: nth, tags: tagsOf(nth) })));
  return { store, notes, path };
}

/** Is it answered before anybody else has a turn? No message of another thread comes in between. */
function isAtOnce(question: Promise<unknown>): Promise<boolean> {
  const soon = (async () => {
    for (let ticks = 0; ticks < 50; ticks += 1) await null;
    return false;
  })();
  return Promise.race([question.then(() => true), soon]);
}

describe('a query over many rows', () => {
  it('does not block other work, and its result includes earlier writes', async (t) => {
    const { store, notes } = await manyNotes(t);
    const few = { owner: 'ann', tags: 'few' };
    assert.equal(await isAtOnce(notes.countDocuments({ owner: 'ann', tags: { $in: ['odd', 'few'] } })), false);
    assert.equal(await isAtOnce(notes.find(few, { limit: 5 }).toArray()), false);
    assert.equal(await isAtOnce(notes.find({ owner: 'ben' }).toArray()), true, 'what an index finds is read at once');
    assert.equal(await notes.countDocuments(few), MANY / 1_000);
    const page = await notes.find(few, { sort: { rank: -1 }, limit: 2, skip: 1, projection: { rank: 1 } }).toArray();
    assert.deepEqual(
      page,
      [18_000, 17_000].map((rank) => ({ _id: `n${rank}`, rank })),
    );
    for (let nth = 0; nth < 20; nth += 1) {
      await notes.insertOne({ _id: `late${nth}`, owner: 'ann', tags: ['few'] });
      assert.equal(await notes.countDocuments(few), MANY / 1_000 + nth + 1);
    }
    assert.equal(await notes.countDocuments({}), MANY + 20);
    await assert.rejects(notes.countDocuments({ owner: undefined } as never), TypeError);
    await store.close();
  });

  it('finds matching rows outside the main thread, and then reads them page by page', async (t) => {
    const { store, notes, path } = await manyNotes(t);
    const seen: string[] = [];
    const ran = await ranDuring(path, async () => {
      const reading = notes.find({ owner: 'ann', status: { $ne: 'gone' } }, { sort: { rank: -1 } })[Symbol.asyncIterator]();
      const first = reading.next();
      assert.equal(await isAtOnce(first), false, 'somebody else looks for them');
      let found = await first;
      // Documents changed in the meantime are returned in their new form, and omitted if they no longer match.
      await notes.insertOne({ _id: 'new', owner: 'ann', rank: 10_000.5 });
      await notes.deleteOne({ _id: 'n19000' });
      await notes.updateOne({ _id: 'n18000' }, { $set: { status: 'gone' } });
      await notes.updateOne({ _id: 'n17000' }, { $set: { rank: 0.5 } });
      for (; !found.done; found = await reading.next()) seen.push(found.value._id);
    });
    const all = Array.from({ length: MANY }, (_, nth) => `n${MANY - 1 - nth}`);
    assert.deepEqual(
      seen,
      all.filter((id) => id !== 'n19000' && id !== 'n18000'),
    );
    const most = Math.max(...ran.map(({ visited }) => visited));
    assert.ok(most <= 200, `${most} rows at once`);
    await store.close();
  });

  it("is not rejected because of other owners' queries, even if it is read page by page", async (t) => {
    const { store, notes } = await manyNotes(t);
    const readings = Array.from({ length: 60 }, (_, nth) =>
      notes.find({ owner: 'ben', tenant_id: `t${nth}`, tags: 'few' }, { sort: { _id: 1 } })[Symbol.asyncIterator](),
    );
    const settled = await Promise.allSettled(readings.map((reading) => reading.next()));
    assert.deepEqual(
      settled.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : [])),
      [],
    );
    await store.close();
  });

  it('is rejected if too many queries are waiting or the store closes', async (t) => {
    const { store, notes } = await manyNotes(t);
    const settled = await Promise.allSettled(Array.from({ length: 53 }, () => notes.countDocuments({ owner: 'ann' })));
    assert.deepEqual(
      settled.flatMap((one) => (one.status === 'rejected' ? [isUnavailable(one.reason)] : [])),
      [true],
    );
    const late = Promise.allSettled([notes.countDocuments({ owner: 'ann' })]);
    await store.close();
    assert.equal((await late).length, 1);
  });
});
