import readWorkbook, { type CellValue } from 'read-excel-file/node';
import { expectBoundedSheets } from '../../archives/sheet-bounds.ts';
import type { Contents } from './reading.ts';
import { blocksOfTable } from './tables.ts';

/** Every sheet is a table; its name is its heading where there are several. */
export async function contentsOfXlsx(bytes: Buffer): Promise<Contents> {
  expectBoundedSheets(bytes);
  const sheets = await readWorkbook(bytes);
  const blocks = sheets.flatMap(({ sheet, data }) =>
    blocksOfTable(
      data.map((row) => row.map(written)),
      sheets.length > 1 ? sheet : '',
    ),
  );
  return { title: null, blocks };
}

function written(cell: CellValue | null): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell);
}
