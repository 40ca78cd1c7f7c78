import { stringify } from 'csv-stringify/sync';
import readWorkbook, { type CellValue } from 'read-excel-file/node';
import { expectBoundedSheets } from '../../archives/sheet-bounds.ts';
import { Unreadable } from '../../archives/unreadable.ts';
import { fieldNamed } from './headers.ts';
import { cardTable } from './vcard.ts';

/**
 * Converts workbooks and address cards to CSV. The first column of the CSV is the line number in
 * the file. Runs in a child process, because files may be malicious.
 */

export type Convertible = 'xlsx' | 'vcard';

type Text = Readonly<Record<'en' | 'id', string>>;

interface Converted {
  readonly lines: readonly string[];
  readonly others: readonly string[];
}

export async function converted(kind: Convertible, bytes: Buffer): Promise<Converted | { readonly fault: Text }> {
  try {
    const { rows, others } = kind === 'vcard' ? cardTable(bytes) : await sheetRows(bytes);
    return { lines: rows.map((row) => stringify([row], { quoted: true })), others };
  } catch (cause) {
    if (cause instanceof Unreadable) return { fault: cause.reason };
    return { fault: kind === 'xlsx' ? NO_WORKBOOK : NO_CARDS };
  }
}

async function sheetRows(bytes: Buffer): Promise<{ readonly rows: readonly (readonly string[])[]; readonly others: readonly string[] }> {
  expectBoundedSheets(bytes);
  const sheets = (await readWorkbook(bytes)).map(({ sheet, data }) => ({ sheet, table: data.map((row) => row.map(written)) }));
  const filled = sheets.filter(({ table }) => table.some((row) => row.some((cell) => cell !== '')));
  const chosen = filled.find(({ table }) => table.slice(0, HEADER_WITHIN).some(hasNumbers)) ?? filled[0];
  const rows = chosen?.table.flatMap((row, nth) => (row.some((cell) => cell !== '') ? [[String(nth + 1), ...row]] : [])) ?? [];
  return { rows, others: filled.filter((one) => one !== chosen).map(({ sheet }) => sheet) };
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
const NO_CARDS = { en: 'the contact cards cannot be read', id: 'kartu kontak tidak dapat dibaca' };
