import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { Raw } from './row.ts';

export type Cell = string | number | null;

const BATCH_SIZE = 500;

/**
 * An answer in CSV with a header line, written as it is read. Every cell is quoted; what a spreadsheet would take for a formula gets an
 * apostrophe before it; null is an empty cell.
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
    if (lines.length < BATCH_SIZE) continue;
    yield lined(lines);
    lines = [];
  }
  if (lines.length > 0) yield lined(lines);
}

const lined = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(guarded)),
    { quoted: true, quoted_empty: true },
  );

/** Spaces of every kind, what cannot be seen, and what another country's spreadsheet takes for the end of a cell. */
const BEFORE_FORMULA = /^[\s\p{Z}\p{C};,|'"]+/u;
const FORMULA = /^[=+\-@＝＋－＠﹢﹣﹦﹫]/u;
/** Some programs leave these out and look at what follows. */
const BEGINS_ODDLY = /^[\t\r\n]/;

function guarded(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  return BEGINS_ODDLY.test(cell) || FORMULA.test(cell.replace(BEFORE_FORMULA, '')) ? `'${cell}` : cell;
}
