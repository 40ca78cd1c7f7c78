import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../runtime/clock.ts';
import { GroupCommit } from '../../../store/engines/embedded/group-commit.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';

/** A ledger of numbers, and a second connection that sees only what is committed. */
function aLedger(scope: Scope) {
  const path = `${aDirectory(scope)}/ledger.db`;
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE kinds (k INTEGER PRIMARY KEY)');
  db.exec('CREATE TABLE entries (n INTEGER PRIMARY KEY, kind REFERENCES kinds DEFERRABLE INITIALLY DEFERRED, filling BLOB)');
  const outside = new DatabaseSync(path, { readOnly: true });
  scope.after(() => [outside, db].map((each) => each.close()));
  let committed = 0;
  let elapsedMs = 0;
  const noted = (): null => {
    committed += 1;
    return null;
  };
  const commits = new GroupCommit(db, noted, { ...systemClock, monotonic: () => elapsedMs });
  const insert = db.prepare('INSERT INTO entries VALUES (?, ?, ?)');
  return {
    db,
    commits: () => committed,
    flush: () => commits.flush(),
    /** Writes that are one. */
    group: (...numbers: readonly number[]) =>
      commits.together(() => numbers.map((n) => commits.write(() => insert.run(n, null, null).changes))),
    soon: () => commits.soon(),
    /** A write that takes a while. */
    labour: (n: number, ms: number) =>
      commits.write(() => {
        elapsedMs += ms;
        return insert.run(n, null, null).changes;
      }),
    write: (n: number, kind: number | null = null, bytes = 0) => commits.write(() => insert.run(n, kind, Buffer.alloc(bytes)).changes),
    read: () =>
      commits.read(() =>
        db
          .prepare('SELECT n FROM entries ORDER BY n')
          .all()
          .map(({ n }) => n),
      ),
    seen: () =>
      outside
        .prepare('SELECT n FROM entries ORDER BY n')
        .all()
        .map(({ n }) => n),
  };
}

const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status === 'fulfilled');

describe('writes within a few event-loop ticks', () => {
  it('are committed together, and are acknowledged only after the commit', async (t) => {
    const ledger = aLedger(t);
    const received: unknown[] = [];
    const writes = Array.from({ length: 50 }, (_, n) => ledger.write(n).then(() => received.push(ledger.seen().length)));
    assert.deepEqual(ledger.seen(), [], 'nothing is visible inside the turn');
    await Promise.all(writes);
    assert.equal(ledger.commits(), 1);
    assert.deepEqual(new Set(received), new Set([50]));
  });

  it('are committed together, even if each starts one tick after the previous one', async (t) => {
    const ledger = aLedger(t);
    const received: unknown[] = [];
    const told = (n: number) => ledger.write(n).then(() => received.push(ledger.seen()));
    const first = told(1);
    await nextTurn();
    const second = told(2);
    assert.deepEqual([ledger.seen(), received], [[], []], 'nobody is answered before');
    await Promise.all([first, second]);
    assert.deepEqual(
      [ledger.commits(), received],
      [
        1,
        [
          [1, 2],
          [1, 2],
        ],
      ],
    );
  });

  it('are committed after a few ticks, even if more writes keep arriving', async (t) => {
    const ledger = aLedger(t);
    let turns = 0;
    const others: Promise<unknown>[] = [];
    const first = ledger.write(0);
    for (; ledger.commits() === 0; turns += 1) {
      others.push(ledger.write(turns + 1));
      await nextTurn();
    }
    await Promise.all([first, ...others]);
    assert.ok(turns <= 3, `${turns} turns`);
  });

  it('share a transaction with writes made by chained promises before the commit', async (t) => {
    const ledger = aLedger(t);
    const chained = Promise.resolve().then(() => ledger.write(2));
    await Promise.all([ledger.write(1), chained]);
    assert.equal(ledger.commits(), 1);
    await ledger.write(3);
    assert.equal(ledger.commits(), 2);
  });

  it('are committed together with writes that waited for one of them', async (t) => {
    const ledger = aLedger(t);
    const waited = ledger.soon().then(() => ledger.write(2));
    await nextTurn();
    assert.deepEqual(ledger.commits(), 0);
    await Promise.all([ledger.write(1), waited]);
    assert.deepEqual([ledger.commits(), ledger.seen()], [1, [1, 2]]);
    const late = ledger.write(3);
    await Promise.all([late, ledger.soon().then(() => ledger.write(4))]);
    assert.equal(ledger.commits(), 2, 'one that comes while they are gathered does not wait');
  });

  it('start after a short wait if no other write arrives', async (t) => {
    const ledger = aLedger(t);
    await Promise.all([1, 2].map((n) => ledger.soon().then(() => ledger.write(n))));
    assert.deepEqual([ledger.commits(), ledger.seen()], [1, [1, 2]]);
  });

  it('become visible to readers when committed, and do not delay readers before that', async (t) => {
    const ledger = aLedger(t);
    const write = ledger.write(1);
    assert.deepEqual(await ledger.read(), []);
    assert.equal(ledger.commits(), 0);
    await write;
    assert.deepEqual(await ledger.read(), [1]);
  });

  it('are executed in the order in which they arrive', async (t) => {
    const ledger = aLedger(t);
    const order: number[] = [];
    await Promise.all([3, 1, 2].map((n) => ledger.write(n).then(() => order.push(n))));
    assert.deepEqual(order, [3, 1, 2]);
  });

  it('fail alone if their own statement fails', async (t) => {
    const ledger = aLedger(t);
    const settled = await Promise.allSettled([ledger.write(1), ledger.write(1), ledger.write(2), ledger.write(2)]);
    assert.deepEqual(statuses(settled), [true, false, true, false]);
    assert.deepEqual(ledger.seen(), [1, 2]);
  });

  it('fail together if the commit fails', async (t) => {
    const ledger = aLedger(t);
    const settled = await Promise.allSettled([ledger.write(1), ledger.write(2, 404)]);
    assert.deepEqual(statuses(settled), [false, false]);
    assert.deepEqual(ledger.seen(), []);
    await ledger.write(3);
    assert.deepEqual(ledger.seen(), [3], 'the next turn starts clean');
  });

  it('are stored if and only if they were acknowledged, even if the disk is full', async (t) => {
    const ledger = aLedger(t);
    ledger.db.exec('PRAGMA cache_size = 10; PRAGMA max_page_count = 200');
    const settled = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => ledger.write(n, null, 30_000)));
    const acknowledged = statuses(settled).flatMap((done, n) => (done ? [n] : []));
    assert.ok(acknowledged.length < 40, 'the disk did get full');
    assert.deepEqual(ledger.seen(), acknowledged);
  });

  it('are committed in parts if they are slow, so that other work can run in between', async (t) => {
    const ledger = aLedger(t);
    const seen: number[] = [];
    const writes = Array.from({ length: 10 }, (_, n) => ledger.labour(n, 1));
    const onlooker = (): void => {
      const there = ledger.seen().length;
      if (there > 0) seen.push(there);
      if (seen.length < 2) setImmediate(onlooker);
    };
    setImmediate(onlooker);
    await Promise.all(writes);
    assert.deepEqual(seen, [4, 8], 'the rest is not yet there');
    assert.equal(ledger.commits(), 3);
  });

  it('are kept if they are committed in a later part than the writes that failed', async (t) => {
    const ledger = aLedger(t);
    const settled = await Promise.allSettled([ledger.write(1, 404), ledger.labour(2, 9), ledger.labour(3, 1)]);
    assert.deepEqual(statuses(settled), [false, false, true]);
    assert.deepEqual(ledger.seen(), [3]);
  });

  it('are committed immediately when the store is flushed', async (t) => {
    const ledger = aLedger(t);
    const write = ledger.write(1);
    ledger.flush();
    assert.deepEqual(ledger.seen(), [1]);
    await write;
    await nextTurn();
    assert.equal(ledger.commits(), 1);
  });

  it('need no savepoints unless a group is rejected', async (t) => {
    const ledger = aLedger(t);
    const exec = t.mock.method(ledger.db, 'exec');
    await Promise.all([...ledger.group(1, 2), ledger.write(3), ...ledger.group(4, 5)]);
    assert.deepEqual([ledger.seen(), exec.mock.callCount()], [[1, 2, 3, 4, 5], 0]);
  });

  it('are stored once, except for the writes of rejected groups', async (t) => {
    const ledger = aLedger(t);
    await ledger.write(9);
    const settled = await Promise.allSettled([
      ledger.write(1),
      ...ledger.group(2, 3),
      ...ledger.group(4, 9, 5),
      ledger.write(1),
      ...ledger.group(6, 7),
      ...ledger.group(8, 9),
    ]);
    const isStored = [true, true, true, false, false, false, false, true, true, false, false];
    assert.deepEqual([statuses(settled), ledger.seen(), ledger.commits()], [isStored, [1, 2, 3, 6, 7, 9], 2]);
  });

  it('are committed even if a group was rejected at the end of an earlier long tick', async (t) => {
    const ledger = aLedger(t);
    await ledger.write(9);
    const settled = await Promise.allSettled([
      ledger.labour(1, 3),
      ledger.labour(2, 3),
      ...ledger.group(3, 9),
      ledger.labour(4, 3),
      ledger.write(5),
    ]);
    assert.deepEqual(
      [statuses(settled), ledger.seen()],
      [
        [true, true, false, false, true, true],
        [1, 2, 4, 5, 9],
      ],
    );
  });
});
