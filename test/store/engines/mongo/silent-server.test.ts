import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { Link } from '../../../../scripts/chaos/link.ts';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aDatabase } from '../../../support/stores.ts';

const isThere = Boolean(process.env['MONGODB_URL']);

describe('a MongoDB server that stops responding', { skip: !isThere && 'MONGODB_URL is not set', timeout: 600_000 }, () => {
  it('makes callers wait for a connection until the server responds again', async (t) => {
    const url = new URL(aDatabase(t));
    const link = await Link.to({ host: url.hostname, port: Number(url.port || 27_017) });
    t.after(() => link.close());
    url.host = `127.0.0.1:${link.port}`;
    for (const [name, value] of Object.entries({ directConnection: 'true', maxPoolSize: '1' })) url.searchParams.set(name, value);
    const store = await openMongo({ url: url.href, answersWithinMs: 1_000, patienceMs: 60_000 });
    t.after(() => store.close());
    const notes = store.collection<Note>(noteSpec);
    await store.prepare();
    await notes.insertOne({ _id: 'n1', owner: 'ann' });

    link.hold();
    const asked = ['ann', 'ben', 'cid'].map((owner) => notes.countDocuments({ owner }));
    const answers = Promise.all(asked);
    answers.catch(() => {});
    while (!store.isAway?.()) await pause(systemClock, 50);
    link.mend();
    assert.deepEqual(await answers, [1, 0, 0]);
  });
});
