import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface StoreLog {
  warn(details: object, message: string): void;
}

const CACHE_LIMIT = 1_000;

export class Statements {
  readonly #db: DatabaseSync;
  readonly #log: StoreLog | undefined;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #warned = new Set<string>();

  constructor(db: DatabaseSync, log: StoreLog | undefined) {
    this.#db = db;
    this.#log = log;
  }

  /** Logs a query plan once if it scans or sorts all of `filteredTable`. */
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
    const fault = faultOf(
      plan.map(({ detail }) => String(detail)),
      table,
    );
    if (!fault) return;
    if (this.#warned.size < CACHE_LIMIT) this.#warned.add(sql);
    log.warn({ event: 'store.slow_query', collection: table, sql }, fault);
  }
}

function faultOf(plan: readonly string[], table: string): string | null {
  if (plan.includes(`SCAN ${table}`)) return 'a query reads a whole collection: no declared index serves its filter';
  if (plan.some((step) => step.startsWith('USE TEMP B-TREE')))
    return 'a query sorts all that its filter finds: no declared index gives its order';
  return null;
}
