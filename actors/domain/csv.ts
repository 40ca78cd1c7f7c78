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

const guarded = (cell: Cell): Cell => (typeof cell === 'string' && couldBeFormula(cell) ? `'${cell}` : cell);
