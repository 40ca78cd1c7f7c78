import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BSON, MongoServerError } from 'mongodb';
import { ConflictRetry } from '../../../../store/engines/mongo/after-conflict.ts';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { insertedOf } from '../../../../store/patterns/insert-missing.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aRelayedDatabase } from '../../../support/relayed-database.ts';

const conflict = (): MongoServerError => new MongoServerError({ message: 'deadlock detected', code: 112 });

/** A server that gives up a write while another one is under way. */
function strictServer() {
  const written: number[] = [];
  let underWay = 0;
  let conflicts = 0;
  const write = async (nth: number): Promise<number> => {
    underWay += 1;
    await turn();
    const isAlone = underWay === 1;
    underWay -= 1;
    if (!isAlone) {
      conflicts += 1;
      throw conflict();
    }
    written.push(nth);
    return nth;
  };
  return { write, written, conflicts: () => conflicts };
}

describe('writes that the server aborts because of a conflict', () => {
  it('are retried one at a time, and are each written once', async () => {
    const server = strictServer();
    const retry = new ConflictRetry(() => 0);
    const numbers = Array.from({ length: 8 }, (_, nth) => nth);
    assert.deepEqual(await Promise.all(numbers.map((nth) => retry.run('one', () => server.write(nth)))), numbers);
    assert.deepEqual(server.written.toSorted(), numbers);
    assert.ok(server.conflicts() <= 8, `${server.conflicts()} conflicts: they came back together`);
  });

  it('are rejected if they conflict every time, but later writes complete', async () => {
    const retry = new ConflictRetry(() => 0);
    let tries = 0;
    const never = retry.run('one', () => {
      tries += 1;
      return Promise.reject(conflict());
    });
    const server = strictServer();
    const others = [1, 2].map((nth) => retry.run('one', () => server.write(nth)));
    await assert.rejects(never, { code: 112 });
    assert.equal(tries, 21);
    assert.deepEqual(await Promise.all(others), [1, 2]);
  });

  it("are retried without waiting for another owner's writes", async () => {
    const retry = new ConflictRetry(() => 0);
    const held = Promise.withResolvers<string>();
    const once = (then: () => Promise<string>) => {
      let tries = 0;
      return () => {
        tries += 1;
        return tries === 1 ? Promise.reject(conflict()) : then();
      };
    };
    const flood = ['first', 'second'].map((name) =>
      retry.run(
        'flooding',
        once(() => held.promise.then(() => name)),
      ),
    );
    assert.equal(
      await retry.run(
        'quiet',
        once(async () => 'written'),
      ),
      'written',
    );
    held.resolve('');
    assert.deepEqual(await Promise.all(flood), ['first', 'second']);
  });

  it('are not retried after any other error', async () => {
    let tries = 0;
    const refused = new ConflictRetry(() => 0).run('one', () => {
      tries += 1;
      return Promise.reject(new MongoServerError({ message: 'no', code: 11000 }));
    });
    await assert.rejects(refused, { code: 11000 });
    assert.equal(tries, 1);
  });
});

const isThere = Boolean(process.env['MONGODB_URL']);

describe('an insert that the server aborts', { skip: !isThere && 'MONGODB_URL is not set' }, () => {
  it('is sent again, even though the row may already exist', async (t) => {
    const server = await aStrictDatabase(t);
    const store = await openMongo({ url: server.url });
    t.after(() => store.close());
    const notes = store.collection<Note>(noteSpec);
    await store.prepare();
    server.giveUp(1);
    assert.equal(await insertedOf(notes, [{ _id: 'a' }]), 1);
    server.giveUp(1);
    assert.equal(await insertedOf(notes, [{ _id: 'a' }]), 0);
    server.giveUp(1);
    await assert.rejects(insertedOf(notes, [{ _id: 'b' }, { _id: 'c' }]), { code: 112 });
    assert.equal(await notes.countDocuments({}), 1);
  });
});

/** The test's database behind a relay that answers the next `inserts` itself with a write conflict. */
async function aStrictDatabase(t: TestContext): Promise<{ url: string; giveUp: (inserts: number) => void }> {
  let left = 0;
  const url = await aRelayedDatabase(t, (near, far) => {
    far.pipe(near);
    let read = Buffer.alloc(0);
    near.on('data', (some) => {
      read = Buffer.concat([read, some]);
      for (let size = sizeOf(read); size <= read.length; size = sizeOf(read)) {
        const message = read.subarray(0, size);
        read = read.subarray(size);
        if (left > 0 && commandOf(message) === 'insert') {
          left -= 1;
          near.write(conflictFor(message));
        } else far.write(message);
      }
    });
  });
  return {
    url,
    giveUp(inserts) {
      left = inserts;
    },
  };
}

// An OP_MSG: its length, its number, the number that it answers, its kind, flags; then a byte and the command.
const OP_MSG = 2_013;
const HEAD = 21;

const sizeOf = (read: Buffer): number => (read.length < 4 ? Number.POSITIVE_INFINITY : read.readInt32LE(0));

const commandOf = (message: Buffer): string | undefined =>
  message.readInt32LE(12) === OP_MSG
    ? Object.keys(BSON.deserialize(message.subarray(HEAD, HEAD + message.readInt32LE(HEAD))))[0]
    : undefined;

function conflictFor(message: Buffer): Buffer {
  const answer = BSON.serialize({ ok: 0, errmsg: 'deadlock detected', code: 112, codeName: 'WriteConflict' });
  const head = Buffer.alloc(HEAD);
  for (const [nth, field] of [HEAD + answer.length, 1, message.readInt32LE(4), OP_MSG].entries()) head.writeInt32LE(field, nth * 4);
  return Buffer.concat([head, answer]);
}
