import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null;

/** Lines of a CSV file. Every cell is quoted; what a spreadsheet would take for a formula gets an apostrophe before it; null is an empty cell. */
export const csvText = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(guarded)),
    { quoted: true, quoted_empty: true },
  );

/** Spaces of every kind, what cannot be seen, and what another country's spreadsheet takes for the end of a cell. */
const BEFORE_FORMULA = /^[\s\p{Z}\p{C};,|'"]+/u;
const FORMULA = /^[=+\-@＝＋－＠﹢﹣﹦﹫]/u;
/** Some programs leave these out and look at what follows. */
const BEGINS_ODDLY = /^[\t\r\n]/;

/** Would a spreadsheet take it for a formula? */
export const couldBeFormula = (text: string): boolean => BEGINS_ODDLY.test(text) || FORMULA.test(text.replace(BEFORE_FORMULA, ''));

/** Of a formula that is a number nothing can be made but the number. */
const PHONE_NUMBER = /^\+\d{7,20}$/;

const guarded = (cell: Cell): Cell => (typeof cell === 'string' && !PHONE_NUMBER.test(cell) && couldBeFormula(cell) ? `'${cell}` : cell);

/** The cell of a number: with `+`, so that every program and our own import read it as the same person. What is no digits stays as it is. */
export const numberCell = (phone: string | null): Cell => (phone !== null && /^\d+$/.test(phone) ? `+${phone}` : phone);
