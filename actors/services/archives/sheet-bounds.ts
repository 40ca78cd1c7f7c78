import { FILE_REASONS, Unreadable } from './unreadable.ts';
import { filesInZip, unpacked } from './zip.ts';

export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
/** Limits memory, because the reader allocates a cell for every position up to the last used one. */
export const MAX_CELLS = 2_000_000;
const TAG = /<(?:\w{1,20}:)?(row|c)\s([^>]{0,300})>/g;
const PLACE = /(?:^|\s)r\s{0,5}=\s{0,5}["']([A-Za-z]{0,20})(\d{1,20})["']/;
const LETTERS = 26;

export function expectBoundedSheets(bytes: Buffer): void {
  for (const file of filesInZip(bytes)) if (/^xl\/.*\.xml$/i.test(file.name)) expectBounded(unpacked(bytes, file).toString('latin1'));
}

function expectBounded(sheet: string): void {
  let [rows, columns] = [0, 0];
  for (const [, name, attributes = ''] of sheet.matchAll(TAG)) {
    const [, letters = '', digits = ''] = PLACE.exec(attributes) ?? [];
    const [row, column] = [Number(digits), columnOf(letters)];
    if (row > MAX_ROWS || column > MAX_COLUMNS) throw new Unreadable(FILE_REASONS.tooManyCells);
    if (name === 'row' || attributes.endsWith('/')) continue;
    rows = Math.max(rows, row);
    columns = Math.max(columns, column);
  }
  if (rows * columns > MAX_CELLS) throw new Unreadable(FILE_REASONS.tooManyCells);
}

const columnOf = (letters: string): number =>
  [...letters.toUpperCase()].reduce((column, letter) => column * LETTERS + letter.charCodeAt(0) - 64, 0);
