import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { isUnavailable } from '../../../../store/engines/unavailable.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aRelayedDatabase } from '../../../support/relayed-database.ts';

const isThere = Boolean(process.env['MONGODB_URL']);
const SILENT_MS = 1_000;
const LATE_MS = 1.5 * SILENT_MS;

/** How many milliseconds late what is asked is answered; Infinity: never. */
type Lateness = (asked: Buffer) => number;

interface SilentLine {
  readonly url: string;
  lateness: Lateness;
}

/** The test's database behind a relay on which single connections fall silent, while the heartbeat's and all others go on. */
async function aSilentLine(t: TestContext): Promise<SilentLine> {
  const url = await aRelayedDatabase(t, (near, far) => {
    let late = 0;
    near.on('data', (asked) => {
      late = line.lateness(asked);
      far.write(asked);
    });
    far.on('data', async (answer) => {
      if (late === Number.POSITIVE_INFINITY) return;
      if (late > 0) await pause(systemClock, late);
      near.write(answer);
    });
  });
  const line: SilentLine = { url, lateness: () => 0 };
  return line;
}

async function aStore(t: TestContext) {
  const line = await aSilentLine(t);
  const store = await openMongo({ url: line.url, silentConnectionMs: SILENT_MS });
  t.after(() => store.close());
  const notes = store.collection<Note>(noteSpec);
  return { line, store, notes };
}

describe('a MongoDB connection that stops responding while others work', {
  skip: !isThere && 'MONGODB_URL is not set',
  timeout: 600_000,
}, () => {
  it('is dropped, and its reads are retried on another connection', async (t) => {
    const { line, store, notes } = await aStore(t);
    await store.prepare();
    await notes.insertOne({ _id: 'n1', owner: 'ann' });
    let silent = 0;
    line.lateness = (asked) => {
      if (silent > 0 || !asked.includes('ann')) return 0;
      silent += 1;
      return Number.POSITIVE_INFINITY;
    };
    assert.equal(await notes.countDocuments({ owner: 'ann' }), 1);
    assert.equal(silent, 1);
  });

  it('is dropped, and pending writes fail as unavailable', async (t) => {
    const { line, store, notes } = await aStore(t);
    await store.prepare();
    await notes.insertOne({ _id: 'n1', owner: 'ann' });
    line.lateness = (asked) => (asked.includes('lost') ? Number.POSITIVE_INFINITY : 0);
    const asked = [
      notes.updateOne({ _id: 'n1' }, { $set: { slot: 'lost' } }),
      notes.insertOne({ _id: 'lost', owner: 'ann' }),
      notes.findOne({ _id: 'lost' }),
      notes.updateMany({ _id: { $in: ['n1', 'lost'] } }, { $set: { rank: 1 } }),
    ];
    for (const one of await Promise.allSettled(asked)) assert.ok(one.status === 'rejected' && isUnavailable(one.reason), String(one));
    assert.equal(await notes.countDocuments({ owner: 'ben' }), 0);
  });

  it('is kept if it is only busy with a long operation such as building an index', async (t) => {
    const { line, store, notes } = await aStore(t);
    line.lateness = (asked) => (['createIndexes', 'dropIndexes', 'delete', 'update'].some((one) => asked.includes(one)) ? LATE_MS : 0);
    store.collection<Note>({ name: 'pages', indexes: [], retired: ['by_owner'], expires: 'rank' });
    await store.prepare();
    await notes.insertMany(['n1', 'n2'].map((_id) => ({ _id, owner: 'ann' })));
    const updated = notes.updateMany({ owner: 'ann' }, { $set: { rank: 1 } });
    const deleted = notes.deleteMany({ owner: 'ben' });
    assert.deepEqual([(await updated).matchedCount, (await deleted).deletedCount, await store.sweep(0)], [2, 0, 0]);
  });
});
