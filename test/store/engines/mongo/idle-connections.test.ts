import assert from 'node:assert/strict';
import { createServer, connect as dial } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { addressOf } from '../../../../runtime/listening.ts';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aDatabase } from '../../../support/stores.ts';

const isThere = Boolean(process.env['MONGODB_URL']);

/** The test's database behind a relay that counts connections. */
async function aCountedDatabase(t: TestContext): Promise<{ url: string; connections: () => number }> {
  const target = new URL(aDatabase(t));
  let open = 0;
  const relay = createServer((near) => {
    const far = dial({ host: target.hostname, port: Number(target.port || 27_017) });
    open += 1;
    near.once('close', () => {
      open -= 1;
      far.destroy();
    });
    far.once('close', () => near.destroy());
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => relay.once('listening', resolve));
  t.after(() => relay.close());
  const url = new URL(target);
  url.host = `127.0.0.1:${addressOf(relay).port}`;
  url.searchParams.set('directConnection', 'true');
  return { url: url.href, connections: () => open };
}

describe('connections to MongoDB', { skip: !isThere && 'MONGODB_URL is not set' }, () => {
  it('that a burst opened are closed when nobody needs them', async (t) => {
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
