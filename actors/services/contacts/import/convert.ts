import { stringify } from 'csv-stringify/sync';
import readWorkbook, { type CellValue } from 'read-excel-file/node';
import { expectBoundedSheets } from '../../archives/sheet-bounds.ts';
import { Unreadable } from '../../archives/unreadable.ts';
import { fieldNamed } from './headers.ts';
import { cardRows } from './vcard.ts';

/**
 * Workbooks and address cards as one table: CSV whose first column is the line that each row had in the file. Imports then read it like
 * any other file. Runs in a child process: the file may be made to hurt its reader.
 */
export type Convertible = 'xlsx' | 'vcard';

type Text = Readonly<Record<'en' | 'id', string>>;

/** The lines of the table, or why there is none. */
export async function converted(kind: Convertible, bytes: Buffer): Promise<readonly string[] | { readonly fault: Text }> {
  try {
    const rows = kind === 'vcard' ? cardRows(bytes) : await sheetRows(bytes);
    return rows.map((row) => stringify([row], { quoted: true }));
  } catch (cause) {
    if (cause instanceof Unreadable) return { fault: cause.reason };
    return { fault: kind === 'xlsx' ? NO_WORKBOOK : NO_CARDS };
  }
}

/** The first sheet with a header for numbers among its first lines, else the first that holds something. */
async function sheetRows(bytes: Buffer): Promise<readonly (readonly string[])[]> {
  expectBoundedSheets(bytes);
  const sheets = (await readWorkbook(bytes)).map(({ data }) => data.map((row) => row.map(written)));
  const filled = sheets.filter((rows) => rows.some((row) => row.some((cell) => cell !== '')));
  const table = filled.find((rows) => rows.slice(0, HEADER_WITHIN).some(hasNumbers)) ?? filled[0] ?? [];
  return table.flatMap((row, nth) => (row.some((cell) => cell !== '') ? [[String(nth + 1), ...row]] : []));
}

const HEADER_WITHIN = 20;
const hasNumbers = (row: readonly string[]): boolean => row.some((cell) => fieldNamed(cell) === 'phone');

function written(cell: CellValue | null): string {
  if (cell === null || cell === undefined) return '';
  return (cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell)).trim();
}

const NO_WORKBOOK = {
  en: 'the workbook cannot be read; save it as .xlsx or CSV',
  id: 'buku kerja tidak dapat dibaca; simpan sebagai .xlsx atau CSV',
};
const NO_CARDS = { en: 'the address cards cannot be read', id: 'kartu alamat tidak dapat dibaca' };
