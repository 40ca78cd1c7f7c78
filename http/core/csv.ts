import { Readable } from 'node:stream';
import { type Cell, csvText } from '../../actors/domain/csv.ts';
import { Raw } from './row.ts';

const BATCH_SIZE = 500;
const BATCH_CHARS = 2 ** 18;

/** Text that looks like a formula gets a leading apostrophe. Null becomes an empty cell. */
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
  let chars = 0;
  for await (const row of rows) {
    lines.push(row);
    chars += row.reduce<number>((sum, cell) => sum + String(cell ?? '').length, 0);
    if (lines.length < BATCH_SIZE && chars < BATCH_CHARS) continue;
    yield csvText(lines);
    [lines, chars] = [[], 0];
  }
  if (lines.length > 0) yield csvText(lines);
}
