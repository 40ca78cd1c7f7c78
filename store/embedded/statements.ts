import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Where the store tells of what deserves attention; a pino logger is one. */
export interface StoreLog {
  warn(details: object, message: string): void;
}

const CACHE_LIMIT = 1_000;

/** Prepared statements by their text, and so by the shape of the filter that made it. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #log: StoreLog | undefined;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #warned = new Set<string>();

  constructor(db: DatabaseSync, log: StoreLog | undefined) {
    this.#db = db;
    this.#log = log;
  }

  /** `filteredTable`: the table whose rows the statement selects by a condition; a plan that reads all of it is logged once. */
  prepare(sql: string, filteredTable?: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    if (this.#prepared.size >= CACHE_LIMIT) this.#prepared.clear();
    const statement = this.#db.prepare(sql);
    this.#prepared.set(sql, statement);
    if (filteredTable && this.#log) this.#explain(sql, filteredTable, this.#log);
    return statement;
  }

  #explain(sql: string, table: string, log: StoreLog): void {
    if (this.#warned.has(sql)) return;
    const plan = this.#db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    if (!plan.some(({ detail }) => detail === `SCAN ${table}`)) return;
    if (this.#warned.size < CACHE_LIMIT) this.#warned.add(sql);
    log.warn({ collection: table, sql }, 'a query reads a whole collection: no declared index serves its filter');
  }
}
