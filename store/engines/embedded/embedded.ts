import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../runtime/clock.ts';
import { present } from '../../../runtime/invariant.ts';
import type { Collection, CollectionSpec, Doc, Filter, Store } from '../../port.ts';
import { BUSY_TIMEOUT_MS, Checkpoints } from './checkpoint.ts';
import { GroupCommit } from './group-commit.ts';
import { layoutOf } from './layout.ts';
import { lock } from './lock.ts';
import { Reader } from './reader.ts';
import { Rows } from './rows.ts';
import { type Existing, existingIn, migrate } from './schema.ts';
import { Statements, type StoreLog } from './statements.ts';
import { Table } from './table.ts';

const SWEEP_ROWS = 500;

export interface EmbeddedOptions {
  /** `-wal`, `-shm` and `.lock` files are stored next to the database file. */
  readonly path: string;
  readonly log?: StoreLog;
}

/** Throws an Error if another process has the file open or the file is not a store. */
export function openEmbedded(options: EmbeddedOptions): Store {
  mkdirSync(dirname(options.path), { recursive: true });
  const unlock = lock(options.path);
  try {
    return new EmbeddedStore(options, openFile(options.path), unlock);
  } catch (cause) {
    unlock();
    throw cause;
  }
}

function openFile(path: string): DatabaseSync {
  // Makes the file readable only by its user. SQLite creates its other files with the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // The cache is small, because SQLite scans it after splitting an index page, so a larger cache
  // would slow down commits.
  db.exec(
    'PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16384; ' +
      'PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY',
  );
  return db;
}

interface Opened {
  readonly rows: Rows;
  readonly expires: string | undefined;
}

class EmbeddedStore implements Store {
  readonly name = 'embedded';
  readonly #db: DatabaseSync;
  readonly #unlock: () => void;
  readonly #statements: Statements;
  readonly #checkpoints: Checkpoints;
  readonly #commits: GroupCommit;
  readonly #reader: Reader;
  readonly #existing: Existing;
  readonly #opened = new Map<string, Opened>();
  #erased = 0;
  #closed: Promise<void> | null = null;

  constructor({ path, log }: EmbeddedOptions, db: DatabaseSync, unlock: () => void) {
    this.#db = db;
    this.#unlock = unlock;
    this.#statements = new Statements(db, log);
    this.#checkpoints = new Checkpoints(db, path, log);
    const undone = (): void => {
      for (const { rows } of this.#opened.values()) rows.rolledBack();
    };
    this.#commits = new GroupCommit(db, () => this.#checkpoints.committed(), systemClock, undone);
    this.#reader = new Reader(path);
    this.#existing = existingIn(db);
  }

  collection<T extends Doc>(spec: CollectionSpec): Collection<T> {
    return new Table<T>(this.#rowsOf(spec), this.#commits, this.#reader);
  }

  together<R>(issue: () => R, isStrict = false): R {
    return this.#commits.together(issue, isStrict);
  }

  soon(): Promise<void> {
    return this.#commits.soon();
  }

  writesTo(collection: string): number {
    return present(this.#opened.get(collection), 'an opened collection').rows.writes;
  }

  async prepare(): Promise<void> {
    this.#commits.flush();
  }

  async ping(): Promise<void> {
    await this.#commits.read(() => this.#statements.prepare('SELECT 1').get());
  }

  async sweep(now: number): Promise<number> {
    let swept = 0;
    for (const { rows, expires } of this.#opened.values()) if (expires) swept += await this.#sweepOne(rows, { [expires]: { $lte: now } });
    await this.#forgetErased();
    return swept;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #rowsOf(spec: CollectionSpec): Rows {
    const opened = this.#opened.get(spec.name);
    if (opened) return opened.rows;
    const layout = layoutOf(spec);
    this.#commits.flush();
    migrate(this.#db, layout, this.#existing);
    const rows = new Rows(layout, this.#statements);
    this.#opened.set(spec.name, { rows, expires: spec.expires });
    return rows;
  }

  /** Empties the log after erasures, because secure_delete overwrites pages only in the database file. */
  async #forgetErased(): Promise<void> {
    const erased = [...this.#opened.values()].reduce((sum, { rows }) => sum + rows.erased, 0);
    if (erased === this.#erased) return;
    if (await this.#checkpoints.truncate()) this.#erased = erased;
  }

  async #sweepOne(rows: Rows, past: Filter): Promise<number> {
    let swept = 0;
    for (let bite = SWEEP_ROWS; bite === SWEEP_ROWS; swept += bite) {
      bite = await this.#commits.write(() => rows.removeSome(past, SWEEP_ROWS));
    }
    return swept;
  }

  async #close(): Promise<void> {
    this.#commits.flush();
    await this.#checkpoints.stop();
    await this.#reader.stop();
    this.#commits.flush();
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
    this.#unlock();
  }
}
