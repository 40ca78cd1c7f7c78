import type { Sort } from '../../port.ts';
import type { Layout } from './layout.ts';

const CONSTRAINT_PRIMARY_KEY = 1555;
const CONSTRAINT_UNIQUE = 2067;

export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
  readonly code = 11000;
  readonly keyPattern: Sort;
  insertedCount = 0;

  constructor(index: string, keyPattern: Sort, cause: unknown) {
    super(`E11000 duplicate key error index: ${index}`, { cause });
    this.keyPattern = keyPattern;
  }

  after(insertedCount: number): this {
    this.insertedCount = insertedCount;
    return this;
  }
}

export function translated(layout: Layout, cause: unknown): unknown {
  if (!(cause instanceof Error) || !('errcode' in cause)) return cause;
  if (cause.errcode === CONSTRAINT_PRIMARY_KEY) return new DuplicateKey('_id_', { _id: 1 }, cause);
  if (cause.errcode !== CONSTRAINT_UNIQUE) return cause;
  const index = violated(layout, cause.message);
  return index ? new DuplicateKey(index.name, index.keys, cause) : cause;
}

// SQLite's message lists the columns ("UNIQUE constraint failed: t.$a, t.$b") or, for an index over
// an expression, names the index.
function violated(layout: Layout, message: string): { name: string; keys: Sort } | undefined {
  const columns = message
    .slice(message.indexOf(': ') + 2)
    .split(', ')
    .map((column) => column.slice(column.indexOf('.') + 1).replace('$', ''))
    .join();
  return layout.indexes.map(({ spec }) => spec).find(({ unique, keys }) => unique && Object.keys(keys).join() === columns);
}
