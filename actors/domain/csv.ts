import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null;

/** Quotes every cell and prefixes possible formulas with an apostrophe; null becomes an empty cell. */
export const csvText = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(guarded)),
    { quoted: true, quoted_empty: true },
  );

/** Spaces, invisible characters, and characters that a spreadsheet of another locale reads as the end of a cell. */
const BEFORE_FORMULA = /^[\s\p{Z}\p{C};,|'"]+/u;
const FORMULA = /^[=+\-@＝＋－＠﹢﹣﹦﹫]/u;
/** Some programs skip these characters and read what follows. */
const BEGINS_ODDLY = /^[\t\r\n]/;

export const couldBeFormula = (text: string): boolean => BEGINS_ODDLY.test(text) || FORMULA.test(text.replace(BEFORE_FORMULA, ''));

/** A formula that is only a number is harmless. */
const PHONE_NUMBER = /^\+\d{7,20}$/;

const guarded = (cell: Cell): Cell => (typeof cell === 'string' && !PHONE_NUMBER.test(cell) && couldBeFormula(cell) ? `'${cell}` : cell);

/** Adds `+` to digits, so that every program reads them as the same number. Other text is unchanged. */
export const numberCell = (phone: string | null): Cell => (phone !== null && /^\d+$/.test(phone) ? `+${phone}` : phone);
