import assert from 'node:assert/strict';
import { it } from 'node:test';
import { upsertWhere } from '../../../store/patterns/upsert-where.ts';
import type { Collection } from '../../../store/port.ts';
import { type Note, notesIn } from '../../support/notes.ts';
import { eachStore } from '../../support/stores.ts';

const CALLERS = 20;

/** MongoDB's answer to an upsert that found nothing, and was not the first to insert. */
const lateTo = (notes: Collection<Note>, first: () => Promise<unknown>): Collection<Note> =>
  Object.assign(Object.create(notes), {
    findOne: notes.findOne.bind(notes),
    async updateOne(...[filter, update, options]: Parameters<Collection<Note>['updateOne']>) {
      if (!options?.upsert) return notes.updateOne(filter, update);
      await first();
      return notes.insertOne({ _id: String(filter['_id']) });
    },
  });

eachStore('concurrent upserts of a missing document', (kind) => {
  it('store the highest value, whatever order they run in', async (t) => {
    const notes = await notesIn(kind, t);
    const write = (rank: number, to = notes) => upsertWhere(to, { _id: 'a', rank: { $lt: rank } }, { $set: { rank } });
    await Promise.all(Array.from({ length: CALLERS }, (_, nth) => write(((nth * 7) % CALLERS) + 1)));
    assert.equal((await notes.findOne({ _id: 'a' }))?.rank, CALLERS);
    assert.deepEqual([await write(CALLERS), await write(CALLERS + 1)], [false, true]);
  });

  it('replace a lower value that another upsert inserted first, and report a higher one', async (t) => {
    const notes = await notesIn(kind, t);
    const write = (_id: string, rank: number, lower: number) =>
      upsertWhere(
        lateTo(notes, () => notes.insertOne({ _id, rank: lower })),
        { _id, rank: { $lt: rank } },
        { $set: { rank } },
      );
    assert.equal(await write('a', 5, 4), true);
    assert.equal(await write('b', 5, 6), false);
    assert.deepEqual([(await notes.findOne({ _id: 'a' }))?.rank, (await notes.findOne({ _id: 'b' }))?.rank], [5, 6]);
  });

  it('succeed even if the document that was inserted first has been deleted', async (t) => {
    const notes = await notesIn(kind, t);
    let isFirst = true;
    const passing = lateTo(notes, async () => {
      isFirst = false;
      return notes.insertOne({ _id: 'a', rank: 9 });
    });
    const gone = Object.assign(Object.create(passing), {
      async updateOne(...asked: Parameters<Collection<Note>['updateOne']>) {
        if (asked[2]?.upsert) return isFirst ? passing.updateOne(...asked) : notes.updateOne(...asked);
        await notes.deleteOne({ _id: 'a' });
        return notes.updateOne(...asked);
      },
    });
    assert.equal(await upsertWhere(gone, { _id: 'a', rank: { $lt: 5 } }, { $set: { rank: 5 } }), true);
    assert.equal((await notes.findOne({ _id: 'a' }))?.rank, 5);
  });
});
