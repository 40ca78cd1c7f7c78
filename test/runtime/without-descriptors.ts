import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { codeOf } from '../../runtime/errors.ts';
import { WorkerPool } from '../../runtime/worker-pool.ts';
import { Checkpoints } from '../../store/engines/embedded/checkpoint.ts';
import { Reader } from '../../store/engines/embedded/reader.ts';

/**
 * A process that has used up its descriptors: `without-descriptors.ts pool|reader|checkpoint DIRECTORY` prints what happens to
 * work for a thread then, and how it goes when some are free again. It runs under a small `ulimit -n`.
 */
const [what = '', directory = ''] = process.argv.slice(2);

function usedUp(): () => void {
  const opened: number[] = [];
  try {
    for (;;) opened.push(openSync('/dev/null', 'r'));
  } catch {
    return () => {
      for (const descriptor of opened) closeSync(descriptor);
    };
  }
}

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (cause) => codeOf(cause) ?? cause.name,
  );

async function tried(work: () => Promise<unknown>): Promise<void> {
  const free = usedUp();
  const without = await Promise.all([outcome(work()), outcome(work())]);
  free();
  process.stdout.write(`${JSON.stringify([...without, await outcome(work())])}\n`);
}

const database = (): DatabaseSync => {
  const db = new DatabaseSync(`${directory}/store.db`);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS notes (text TEXT); INSERT INTO notes VALUES (1)');
  return db;
};

// Threads keep no process alive by themselves.
const awake = setInterval(() => {}, 1_000);
switch (what) {
  case 'pool': {
    const pool = new WorkerPool(new URL('./echo-worker.ts', import.meta.url));
    await tried(() => pool.run('word'));
    await pool.close();
    break;
  }
  case 'reader': {
    const db = database();
    const reader = new Reader(`${directory}/store.db`);
    await tried(() => reader.ask({ owner: 'one', sql: 'SELECT * FROM notes', params: [] }));
    await reader.stop();
    db.close();
    break;
  }
  default: {
    const db = database();
    const checkpoints = new Checkpoints(db, `${directory}/store.db`, { warn: () => {} });
    await tried(async () => {
      if (!(await checkpoints.truncate())) throw Object.assign(new Error(), { name: 'later' });
    });
    await checkpoints.stop();
    db.close();
  }
}
clearInterval(awake);
