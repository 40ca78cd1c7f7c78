import { format } from 'numfmt';

/**
 * Formats numbers as a spreadsheet shows them. Adds formats that `numfmt` lacks: those that a
 * workbook identifies only by number, and those that depend on the computer's country. If the order
 * of a date depends on the country (3/4/2026), the month is shown by name.
 */

export function shownNumber(value: number, code: string, is1904: boolean): string {
  if (code === '' || /^general$/i.test(code)) return plain(value);
  const date = isDate(code);
  const number = date && is1904 ? value + DAYS_1904 : value;
  if (date && (number < 0 || number > LAST_DAY)) return plain(value);
  try {
    return format(date ? unambiguous(code) : code.replace(/\*./g, '\\ '), number)
      .replace(/\s+/g, ' ')
      .trim();
  } catch {
    return plain(value);
  }
}

/** See ECMA-376, section 18.8.30. Formats 14 and 22 depend on the reader's country. */
export const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '"$"#,##0'],
  [6, '"$"#,##0'],
  [7, '"$"#,##0.00'],
  [8, '"$"#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'm/d/yyyy'],
  [15, 'd mmm yy'],
  [16, 'd mmm'],
  [17, 'mmm yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'm/d/yyyy h:mm'],
  [37, '#,##0;(#,##0)'],
  [38, '#,##0;(#,##0)'],
  [39, '#,##0.00;(#,##0.00)'],
  [40, '#,##0.00;(#,##0.00)'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '0.0E+0'],
  [49, '@'],
]);

/** Number of days between the 1900 and 1904 epochs. Workbooks from old Macs use the 1904 epoch. */
const DAYS_1904 = 1_462;
/** Serial number of 31 December 9999. */
const LAST_DAY = 2_958_465.999_99;
/** A double has 15 significant digits. Rounded to these, 0.1 + 0.2 is shown as 0.3. */
const DIGITS = 15;

const plain = (value: number): string => String(Number(value.toPrecision(DIGITS)));

const bare = (code: string): string => code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '');
const isDate = (code: string): boolean => /[dmyhs]/i.test(bare(code).replace(/general|AM\/PM|A\/P/gi, ''));

const MONTH_FIRST = /(?<![a-z])m{1,2}([/.-])d{1,2}\1y{2,4}/i;
const OF_THE_COUNTRY = /\[\$-(?:x-sysdate|F800)\][^;]*/i;
const CLOCK_OF_THE_COUNTRY = /\[\$-(?:x-systime|F400)\][^;]*/i;

function unambiguous(code: string): string {
  const written = code
    .replace(OF_THE_COUNTRY, 'd mmmm yyyy')
    .replace(CLOCK_OF_THE_COUNTRY, 'hh:mm')
    .replace(MONTH_FIRST, 'd mmmm yyyy')
    .replace(/\*./g, '\\ ');
  return /AM\/PM|A\/P|\[h+\]/i.test(written) ? written : written.replace(/(?<![h"\\])h(?=:mm?)/gi, 'hh');
}
