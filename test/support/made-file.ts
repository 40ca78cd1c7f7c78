import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { shelf } from './shelf.ts';

/** A store's file with every table of a gateway and no row, which a run of tests makes once: the tables cost a gateway a third of its start. */
export interface MadeFile {
  /** Lays a copy at `path`, where it is made already. */
  copyTo(path: string): void;
  /** From the file of a store whose tables are made; its rows are left out. */
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
