import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { Checkpoints, type LogLimits } from '../../../store/engines/embedded/checkpoint.ts';
import { GroupCommit } from '../../../store/engines/embedded/group-commit.ts';
import { shelf } from '../../support/shelf.ts';
import type { Scope } from '../../support/stores.ts';

const run = promisify(execFile);
const PAGE = 4_096;
const LIMITS: LogLimits = { beforeCheckpoint: 100, beforeCatchingUp: 200, few: 20, most: 400 };
/** Of one event-loop turn. */
const WRITES = 10;
const TURNS = 2_000;

it('the write-ahead log stays short under constant writes, without delaying readers', async (t) => {
  const directory = mkdtempSync(join(shelf, 'log-'));
  const path = join(directory, 'store.db');
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA page_size = ${PAGE}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE notes (body TEXT)`);
  const checkpoints = new Checkpoints(db, path, undefined, LIMITS);
  let held = 0;
  const commits = new GroupCommit(db, () => {
    const until = checkpoints.committed();
    if (until) held += 1;
    return until;
  });
  t.after(async () => {
    await checkpoints.stop();
    db.close();
    rmSync(directory, { recursive: true });
  });
  const insert = db.prepare('INSERT INTO notes VALUES (?)');
  const count = db.prepare('SELECT count(*) AS notes FROM notes');
  const body = 'x'.repeat(PAGE);
  let longest = 0;
  let before: Promise<unknown> = Promise.resolve();
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const writes = Promise.all(Array.from({ length: WRITES }, () => commits.write(() => insert.run(body))));
    // The next writes always wait when these are done.
    await before;
    before = writes;
    longest = Math.max(longest, statSync(`${path}-wal`).size);
    assert.ok(Number((await commits.read(() => count.get()))?.['notes']) >= (turn - 1) * WRITES);
  }
  await before;
  assert.ok(held > 0, 'it never came to that');
  assert.ok(longest < 2 * LIMITS.most * PAGE, `${Math.round(longest / PAGE)} pages`);
});

/** What the scripts below have in common: a process of its own that does nothing but write to a store at the path it gets. */
const WRITER = `
  import { DatabaseSync } from 'node:sqlite';
  import { Checkpoints } from '${new URL('../../../store/engines/embedded/checkpoint.ts', import.meta.url)}';
  import { GroupCommit } from '${new URL('../../../store/engines/embedded/group-commit.ts', import.meta.url)}';
  const db = new DatabaseSync(process.argv[1]);
  db.exec('PRAGMA page_size = ${PAGE}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE notes (body TEXT)');
  const insert = db.prepare('INSERT INTO notes VALUES (?)');
  let isHeld = false;
  function opened() {
    const checkpoints = new Checkpoints(db, process.argv[1], undefined, ${JSON.stringify(LIMITS)});
    const commits = new GroupCommit(db, () => {
      const until = checkpoints.committed();
      isHeld = until !== null;
      return until;
    });
    const write = () => Promise.all(Array.from({ length: ${WRITES} }, () => commits.write(() => insert.run('x'.repeat(${PAGE})))));
    return { checkpoints, write };
  }
`;

const WRITES_ONLY = `${WRITER}
  const { write } = opened();
  for (let turn = 0; turn < 300; turn += 1) await write();
  console.log('all written');
`;

const CLOSES_WHILE_HELD = `${WRITER}
  for (let times = 0; times < 5; times += 1) {
    const { checkpoints, write } = opened();
    do await write();
    while (!isHeld);
    // The thread is done meanwhile, and its word of it waits.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    await checkpoints.stop();
  }
  console.log('closed');
`;

async function saidBy(script: string, scope: Scope): Promise<string> {
  const directory = mkdtempSync(join(shelf, 'log-'));
  scope.after(() => rmSync(directory, { recursive: true }));
  return (await run(process.execPath, ['--input-type=module', '-e', script, join(directory, 'store.db')])).stdout;
}

it('a writing process stays alive until the write-ahead log is checkpointed', async (t) => {
  assert.equal(await saidBy(WRITES_ONLY, t), 'all written\n');
});

it('an idle process stays alive until its store is closed, even during a checkpoint', async (t) => {
  assert.equal(await saidBy(CLOSES_WHILE_HELD, t), 'closed\n');
});
