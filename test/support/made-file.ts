import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { shelf } from './shelf.ts';

/**
 * A store file with all tables of a gateway but no rows. A test run creates it once, because the tables cost a gateway
 * a third of its start.
 */
export interface MadeFile {
  /** Copies the file to `path`, if it has been created. */
  copyTo(path: string): void;
  /** Creates the file from a store's file, without its rows. */
  makeFrom(path: string): void;
  remove(): void;
}

export function madeFileOf(run: string): MadeFile {
  const made = join(shelf, `made-${run}.db`);
  return {
    copyTo: (path) => void (existsSync(made) && copyFileSync(made, path)),
    makeFrom(path) {
      if (existsSync(made)) return;
      const own = `${made}.${process.pid}`;
      const source = new DatabaseSync(path, { readOnly: true });
      source.prepare('VACUUM INTO ?').run(own);
      source.close();
      const copy = new DatabaseSync(own);
      const tables = copy.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      for (const { name } of tables) copy.exec(`DELETE FROM "${String(name)}"`);
      copy.close();
      renameSync(own, made);
    },
    remove: () => rmSync(made, { force: true }),
  };
}
