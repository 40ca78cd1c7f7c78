import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

export interface Asked {
  readonly statements: number;
  readonly commits: number;
  readonly byText: ReadonlyMap<string, number>;
}

const WAYS = ['run', 'get', 'all'] as const;
const HOUSEKEEPING = /^(BEGIN|COMMIT|PRAGMA|EXPLAIN|SAVEPOINT|RELEASE|ROLLBACK)/;

let counted: Map<string, number> | null = null;

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

export function countStatements(): void {
  counted = new Map();
}

export function askedStatements(): Asked {
  const byText = counted ?? new Map<string, number>();
  counted = null;
  const sum = (isMeant: (text: string) => boolean): number =>
    [...byText].reduce((total, [text, times]) => total + (isMeant(text) ? times : 0), 0);
  return { statements: sum((text) => !HOUSEKEEPING.test(text)), commits: sum((text) => text === 'COMMIT'), byText };
}

/** Runs `look` without counting its statements. It must issue all its statements before its first await. */
export function uncounted<R>(look: () => R): R {
  const before = counted;
  counted = null;
  try {
    return look();
  } finally {
    counted = before;
  }
}
