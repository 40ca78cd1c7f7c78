import { writtenNumber } from '../../../domain/numbers/written-number.ts';

/**
 * If the header does not name the columns of numbers and names, finds them by their cells. If
 * several columns may be meant, none is used, because a wrong one would send messages to strangers.
 */

export interface Sample {
  readonly rows: readonly (readonly string[])[];
  readonly among: readonly number[];
}

export const phoneLike = ({ rows, among }: Sample): readonly number[] => among.filter((nth) => isMost(cellsOf(rows, nth), isPhone));

/**
 * With `isStrict`, digits without a `+` or a leading 0 are not taken for phone numbers, because
 * they may be order numbers.
 */
export function phoneColumn(sample: Sample, isStrict: boolean): number | undefined {
  const found = phoneLike(sample);
  if (found.length === 1 && !isStrict) return found[0];
  const [sure, ...more] = found.filter((nth) => isMost(cellsOf(sample.rows, nth), isPlainlyPhone));
  return more.length === 0 ? sure : undefined;
}

export function nameColumn({ rows, among }: Sample): number | undefined {
  const [name, ...more] = among.filter((nth) => {
    const cells = cellsOf(rows, nth);
    return cells.length > 0 && cells.every(isName) && new Set(cells).size * 2 > cells.length;
  });
  return more.length === 0 ? name : undefined;
}

export function isPhone(cell: string): boolean {
  const written = writtenNumber(cell);
  if (written.kind === 'several_numbers' || written.kind === 'address') return true;
  if (written.kind !== 'number' || DATE.test(cell)) return false;
  return written.digits.length >= LEAST_DIGITS && written.digits.replace(/^0+/, '').length <= MOST_DIGITS;
}

function isPlainlyPhone(cell: string): boolean {
  if (!isPhone(cell)) return false;
  const written = writtenNumber(cell);
  return written.kind !== 'number' || written.isInternational || written.digits.startsWith('0');
}

const LEAST_DIGITS = 8;
/** Maximum number of digits without an international prefix. Sixteen may be an identity card number. */
const MOST_DIGITS = 15;
const DATE = /(?<!\d)(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d(?!\d)/;

const isName = (cell: string): boolean => /\p{L}/u.test(cell) && !/[\d@]/.test(cell);

const isMost = (cells: readonly string[], is: (cell: string) => boolean): boolean => cells.filter(is).length * 2 > cells.length;

const cellsOf = (rows: Sample['rows'], nth: number): readonly string[] => rows.flatMap((cells) => cells[nth] || []);
