import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { codeOf } from '../../../runtime/errors.ts';
import { BridgeRefused } from './refused.ts';

/**
 * Opens the state file of a bridge: SQLite, readable only by its user, held under an exclusive lock
 * until the process exits. `secure_delete` and a journal that is deleted after each commit leave no
 * bytes of a deleted row on the disk.
 */

/** Limits the file to 1 GB, because a page is 4 KB in size. */
const MAX_PAGES = 262_144;

const TABLES = `
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS person (
    chat TEXT PRIMARY KEY, answers_to TEXT NOT NULL, contact INTEGER, source TEXT, conversation INTEGER,
    reached INTEGER NOT NULL DEFAULT 0, opening_at INTEGER
  );
  CREATE INDEX IF NOT EXISTS person_of_conversation ON person (conversation);
  CREATE TABLE IF NOT EXISTS job (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, body TEXT NOT NULL,
    rev INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS job_of_lane ON job (lane, seq);
  CREATE TABLE IF NOT EXISTS done (name TEXT PRIMARY KEY, chat TEXT, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS done_at ON done (at);
  CREATE TABLE IF NOT EXISTS mirror (
    source TEXT PRIMARY KEY, chat TEXT NOT NULL, conversation INTEGER NOT NULL, cw INTEGER, above INTEGER NOT NULL, at INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS mirror_of_conversation ON mirror (conversation, cw);
  CREATE INDEX IF NOT EXISTS mirror_cw ON mirror (cw);
  CREATE INDEX IF NOT EXISTS mirror_at ON mirror (at);
  CREATE TABLE IF NOT EXISTS answer (
    cw INTEGER NOT NULL, part INTEGER NOT NULL, chat TEXT NOT NULL, conversation INTEGER NOT NULL, media TEXT, message TEXT UNIQUE,
    status TEXT, asked_at INTEGER, at INTEGER NOT NULL, PRIMARY KEY (cw, part)
  );
  CREATE INDEX IF NOT EXISTS answer_of_conversation ON answer (conversation, cw);
  CREATE INDEX IF NOT EXISTS answer_at ON answer (at);
`;

export function openFile(path: string): DatabaseSync {
  // Creates the file first, because SQLite would create a file that everyone can read.
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(`
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
      PRAGMA max_page_count = ${MAX_PAGES}; PRAGMA trusted_schema = OFF;
      BEGIN EXCLUSIVE; ${TABLES} COMMIT;
    `);
  } catch (cause) {
    db.close();
    const isLocked = codeOf(cause) === 'ERR_SQLITE_ERROR' && /locked/.test(String(cause));
    throw new BridgeRefused(isLocked ? `Another bridge uses ${path}.` : `${path} is not the state file of a bridge: ${String(cause)}`);
  }
  return db;
}
