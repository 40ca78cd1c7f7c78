import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aRelayedDatabase } from '../../../support/relayed-database.ts';

const isThere = Boolean(process.env['MONGODB_URL']);

/** The test's database behind a relay that counts connections. */
async function aCountedDatabase(t: TestContext): Promise<{ url: string; connections: () => number }> {
  let open = 0;
  const url = await aRelayedDatabase(t, (near, far) => {
    open += 1;
    near.once('close', () => {
      open -= 1;
    });
    near.pipe(far).pipe(near);
  });
  return { url, connections: () => open };
}

describe('connections to MongoDB', { skip: !isThere && 'MONGODB_URL is not set' }, () => {
  it('are closed if they are idle after a burst of calls', async (t) => {
    const { url, connections } = await aCountedDatabase(t);
    const store = await openMongo({ url, idleConnectionMs: 200 });
    t.after(() => store.close());
    const notes = store.collection<Note>(noteSpec);
    await store.prepare();
    await Promise.all(Array.from({ length: 200 }, (_, nth) => notes.countDocuments({ owner: `n${nth}` })));
    assert.ok(connections() > 8, `${connections()} after the burst`);
    while (connections() > 4) {
      await notes.countDocuments({ owner: 'ann' });
      await pause(systemClock, 20);
    }
    assert.equal(await notes.countDocuments({ owner: 'ann' }), 0);
  });
});
