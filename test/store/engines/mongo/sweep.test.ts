import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aDatabase } from '../../../support/stores.ts';

const isThere = Boolean(process.env['MONGODB_URL']);
const MINUTE = 60_000;

describe('a MongoDB sweep', { skip: !isThere && 'MONGODB_URL is not set' }, () => {
  it('runs every minute after rows have expired, and otherwise every five minutes', async (t) => {
    const asked: string[] = [];
    const store = await openMongo({ url: aDatabase(t), asked: (command) => asked.push(command) });
    t.after(() => store.close());
    const notes = store.collection<Note>(noteSpec);
    await store.prepare();
    await notes.insertMany([1, 2, 9].map((minute) => ({ _id: `n${minute}`, goneAt: minute * MINUTE })));
    const swept: (number | 'passed over')[] = [];
    for (let minute = 1; minute <= 10; minute += 1) {
      asked.length = 0;
      const gone = await store.sweep(minute * MINUTE);
      swept.push(asked.includes('delete') ? gone : 'passed over');
    }
    assert.deepEqual(swept, [1, 1, 0, ...Array(4).fill('passed over'), 0, 'passed over', 'passed over']);
    assert.equal(await store.sweep(13 * MINUTE), 1);
  });

  it('continues to run if the clock is set back', async (t) => {
    const store = await openMongo({ url: aDatabase(t) });
    t.after(() => store.close());
    const notes = store.collection<Note>(noteSpec);
    await store.prepare();
    assert.equal(await store.sweep(100 * MINUTE), 0);
    await notes.insertOne({ _id: 'a', goneAt: 1 });
    assert.equal(await store.sweep(2 * MINUTE), 1);
  });
});
