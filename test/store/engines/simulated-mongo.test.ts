import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Collection } from '../../../store/port.ts';
import { type Note, noteSpec } from '../../support/notes.ts';
import { SimulatedMongo } from '../../support/simulated-mongo/simulated-mongo.ts';
import { turns, turnsPassage } from '../../support/simulated-mongo/turns.ts';

const TEN = Array.from({ length: 10 }, (_, nth): Note => ({ _id: `n${nth}`, owner: 'ann' }));

async function notesOf(seed: number): Promise<Collection<Note>> {
  const store = new SimulatedMongo().store(turnsPassage(seed), turns);
  const notes = store.collection<Note>(noteSpec);
  await store.prepare();
  await notes.insertMany(TEN);
  return notes;
}

/** Ten writes that begin in their order: the one that came last. */
async function lastOf(seed: number): Promise<unknown> {
  const notes = await notesOf(seed);
  await Promise.all(TEN.map((_, rank) => notes.updateOne({ _id: 'n0' }, { $set: { rank } })));
  return (await notes.findOne({ _id: 'n0' }))?.rank;
}

describe('the simulated MongoDB', () => {
  it('lets calls overtake each other, in a fixed order per seed', async () => {
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const last = await Promise.all(seeds.map(lastOf));
    assert.ok(new Set(last).size > 1, `${last}`);
    assert.deepEqual(await Promise.all(seeds.map(lastOf)), last);
  });

  it('runs other calls between the steps of a bulk write', async () => {
    const seen = new Set<number>();
    for (let seed = 0; seed < 20; seed += 1) {
      const notes = await notesOf(seed);
      const all = notes.updateMany({ owner: 'ann' }, { $set: { open: true } });
      for (let reads = 0; reads < 10; reads += 1) seen.add(await notes.countDocuments({ open: true }));
      await all;
      assert.equal(await notes.countDocuments({ open: true }), TEN.length);
    }
    assert.ok(
      [...seen].some((count) => count > 0 && count < TEN.length),
      `${[...seen]}`,
    );
  });

  it("keeps no references to a caller's objects", async () => {
    const notes = await notesOf(1);
    const given = { _id: 'x', tags: ['a'] };
    await notes.insertOne(given);
    given.tags.push('b');
    const read = await notes.findOne({ _id: 'x' }, { sort: { _id: 1 } });
    assert.deepEqual(read?.tags, ['a']);
    Object.assign(read ?? {}, { tags: [] });
    assert.deepEqual((await notes.findOne({ _id: 'x' }))?.tags, ['a']);
  });
});
