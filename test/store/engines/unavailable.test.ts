import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MongoClient } from 'mongodb';
import { DuplicateKey } from '../../../store/engines/embedded/duplicate-key.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { isUnavailable } from '../../../store/engines/unavailable.ts';
import { aLine } from '../../support/line.ts';
import { type Note, noteSpec } from '../../support/notes.ts';
import { aDirectory } from '../../support/stores.ts';

const mongoUrl = process.env['MONGODB_URL'];
const nobodyListens = 'mongodb://127.0.0.1:1/x';

describe('an unavailable store', () => {
  it('is distinguished from an invalid request on MongoDB', async (t) => {
    const client = new MongoClient(nobodyListens, { serverSelectionTimeoutMS: 50 });
    t.after(() => client.close());
    const unreachable = await client
      .db()
      .command({ ping: 1 })
      .catch((cause: unknown) => cause);
    assert.equal(isUnavailable(unreachable), true, String(unreachable));
    await client.close();
    const closed = await client
      .db()
      .command({ ping: 1 })
      .catch((cause: unknown) => cause);
    assert.equal(isUnavailable(closed), true, String(closed));
  });

  it('is distinguished from an invalid request if MongoDB stops responding during a command', {
    skip: !mongoUrl && 'MONGODB_URL is not set',
  }, async (t) => {
    const line = await aLine(t, mongoUrl ?? '');
    // Its heartbeat notices.
    const soon = { connectTimeoutMS: 500, heartbeatFrequencyMS: 500, retryReads: false };
    const client = new MongoClient(line.url.replace('http', 'mongodb'), soon);
    t.after(() => client.close());
    await client.db().command({ ping: 1 });
    line.die();
    const unanswered = await client
      .db()
      .command({ ping: 1 })
      .catch((cause: unknown) => cause);
    assert.equal(isUnavailable(unanswered), true, String(unanswered));
  });

  it('is distinguished from an invalid request in the embedded store', async (t) => {
    const store = openEmbedded({ path: `${aDirectory(t)}/s.db` });
    const notes = store.collection<Note>(noteSpec);
    const wrong = await notes.updateOne({ 'a b': 1 }, {}).catch((cause: unknown) => cause);
    await store.close();
    const closed = await notes.findOne({ _id: 'a' }).catch((cause: unknown) => cause);
    assert.deepEqual([isUnavailable(wrong), isUnavailable(closed)], [false, true], String(closed));
    assert.equal(isUnavailable(new DuplicateKey('i', { a: 1 }, undefined)), false);
    assert.equal(isUnavailable('down'), false);
  });
});
