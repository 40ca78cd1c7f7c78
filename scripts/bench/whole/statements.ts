import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** What a stretch of work asked SQLite for on the event loop's thread. */
export interface Asked {
  readonly statements: number;
  readonly commits: number;
  /** How often each statement ran, by its text. */
  readonly byText: ReadonlyMap<string, number>;
}

const WAYS = ['run', 'get', 'all'] as const;
/** They keep transactions and the log in order, and ask for no data. */
const HOUSEKEEPING = /^(BEGIN|COMMIT|PRAGMA|EXPLAIN|SAVEPOINT|RELEASE|ROLLBACK)/;

let counted: Map<string, number> | null = null;

/** From here on statements can be counted. It has to be called before a store is opened. */
export function watchStatements(): void {
  const prepare = DatabaseSync.prototype.prepare;
  DatabaseSync.prototype.prepare = function (text: string) {
    const statement = prepare.call(this, text);
    for (const way of WAYS) {
      const original: (...values: SQLInputValue[]) => unknown = statement[way].bind(statement);
      Object.defineProperty(statement, way, {
        value(...values: SQLInputValue[]) {
          counted?.set(text, (counted.get(text) ?? 0) + 1);
          return original(...values);
        },
      });
    }
    return statement;
  };
}

/** Counts from here on. */
export function countStatements(): void {
  counted = new Map();
}

/** What SQLite was asked for since; counts no further. */
export function askedStatements(): Asked {
  const byText = counted ?? new Map<string, number>();
  counted = null;
  const sum = (isMeant: (text: string) => boolean): number =>
    [...byText].reduce((total, [text, times]) => total + (isMeant(text) ? times : 0), 0);
  return { statements: sum((text) => !HOUSEKEEPING.test(text)), commits: sum((text) => text === 'COMMIT'), byText };
}

/** What `look` asks for is not counted. It has to ask before it first waits. */
export function uncounted<R>(look: () => R): R {
  const before = counted;
  counted = null;
  try {
    return look();
  } finally {
    counted = before;
  }
}
