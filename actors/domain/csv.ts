import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null;

export const csvText = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(guarded)),
    { quoted: true, quoted_empty: true },
  );

/** Characters that may precede a formula, including cell separators of other locales. */
const BEFORE_FORMULA = /^[\s\p{Z}\p{C};,|'"]+/u;
const FORMULA = /^[=+\-@＝＋－＠﹢﹣﹦﹫]/u;
/** Characters that some programs skip at the start of a cell. */
const BEGINS_ODDLY = /^[\t\r\n]/;

export const couldBeFormula = (text: string): boolean => BEGINS_ODDLY.test(text) || FORMULA.test(text.replace(BEFORE_FORMULA, ''));

/** Phone numbers are not escaped. A formula that is only a number is harmless. */
const PHONE_NUMBER = /^\+\d{7,20}$/;

const guarded = (cell: Cell): Cell => (typeof cell === 'string' && !PHONE_NUMBER.test(cell) && couldBeFormula(cell) ? `'${cell}` : cell);

/** Adds a `+`, so that no program changes the digits. */
export const numberCell = (phone: string | null): Cell => (phone !== null && /^\d+$/.test(phone) ? `+${phone}` : phone);
