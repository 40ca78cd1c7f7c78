import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';

/** One SELECT that the store ran: its plan, and how many rows or index entries it looked at. */
export interface Ran {
  readonly sql: string;
  readonly plan: readonly string[];
  readonly visited: number;
  /** Characters of what it found. */
  readonly read: number;
}

interface Run {
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
}

/** Each query that the embedded store runs on this thread while `work` goes on, run again with a counter on the file at `path`. */
export async function ranDuring(path: string, work: () => Promise<unknown>): Promise<readonly Ran[]> {
  const runs: Run[] = [];
  const { get, all, iterate } = StatementSync.prototype;
  StatementSync.prototype.get = function (this: StatementSync, ...params: SQLInputValue[]) {
    runs.push({ sql: this.sourceSQL, params });
    return Reflect.apply(get, this, params);
  } as typeof get;
  StatementSync.prototype.all = function (this: StatementSync, ...params: SQLInputValue[]) {
    runs.push({ sql: this.sourceSQL, params });
    return Reflect.apply(all, this, params);
  } as typeof all;
  StatementSync.prototype.iterate = function (this: StatementSync, ...params: SQLInputValue[]) {
    runs.push({ sql: this.sourceSQL, params });
    return Reflect.apply(iterate, this, params);
  } as typeof iterate;
  // Counted before the writes of `work` are there: with what its filters found.
  const snapshot = new DatabaseSync(path, { readOnly: true });
  let visited = 0;
  snapshot.function('visited', { varargs: true }, () => {
    visited += 1;
    return 1;
  });
  try {
    await work();
  } finally {
    StatementSync.prototype.get = get;
    StatementSync.prototype.all = all;
    StatementSync.prototype.iterate = iterate;
  }
  const seen = runs.filter(({ sql }) => sql.startsWith('SELECT') && sql.includes(' WHERE '));
  const ran = seen.map(({ sql, params }) => {
    visited = 0;
    const plan = snapshot.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params);
    const found = snapshot.prepare(sql.replace(' WHERE ', ` WHERE visited(${tableIn(sql)}.rowid) AND `)).all(...params);
    return { sql, visited, read: JSON.stringify(found).length, plan: plan.map(({ detail }) => String(detail)) };
  });
  snapshot.close();
  return ran;
}

const tableIn = (sql: string): string => /(?:FROM|JOIN) ("\w+")/.exec(sql)?.[1] ?? '';
