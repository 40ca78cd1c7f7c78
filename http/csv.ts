import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { Raw } from './row.ts';

export type Cell = string | number | null;

const AT_ONCE = 500;

/**
 * An answer in CSV with a header line, written as it is read. What a spreadsheet would take for a formula gets an apostrophe before it;
 * null is an empty cell.
 */
export function csv(filename: string, columns: readonly string[], rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>): Raw {
  const disposition = `attachment; filename="${filename}"`;
  return new Raw(Readable.from(written(columns, rows), { objectMode: false }), 'text/csv; charset=utf-8', 200, {
    'content-disposition': disposition,
  });
}

async function* written(
  columns: readonly string[],
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>,
): AsyncGenerator<string> {
  let lines: (readonly Cell[])[] = [columns];
  for await (const row of rows) {
    lines.push(row);
    if (lines.length < AT_ONCE) continue;
    yield lined(lines);
    lines = [];
  }
  if (lines.length > 0) yield lined(lines);
}

const lined = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true },
  );
