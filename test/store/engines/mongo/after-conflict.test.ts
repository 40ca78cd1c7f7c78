import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import { ConflictRetry } from '../../../../store/engines/mongo/after-conflict.ts';

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

describe('writes that the server gave up for each other', () => {
  it('come back one at a time, so that each is written, once', async () => {
    const server = strictServer();
    const retry = new ConflictRetry(() => 0);
    const numbers = Array.from({ length: 8 }, (_, nth) => nth);
    assert.deepEqual(await Promise.all(numbers.map((nth) => retry.run('one', () => server.write(nth)))), numbers);
    assert.deepEqual(server.written.toSorted(), numbers);
    assert.ok(server.conflicts() <= 8, `${server.conflicts()} conflicts: they came back together`);
  });

  it('are refused with the conflict in the end, and those behind them are not', async () => {
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

  it('do not wait for those of another owner', async () => {
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

  it('are not tried again for any other reason', async () => {
    let tries = 0;
    const refused = new ConflictRetry(() => 0).run('one', () => {
      tries += 1;
      return Promise.reject(new MongoServerError({ message: 'no', code: 11000 }));
    });
    await assert.rejects(refused, { code: 11000 });
    assert.equal(tries, 1);
  });
});
