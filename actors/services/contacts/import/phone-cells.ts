import type { ImportError } from '../../../../store/jobs/jobs.ts';
import { writtenNumber } from '../../../domain/numbers/written-number.ts';

/**
 * Collects the phone numbers in a row. A file may have several phone columns, and a cell several
 * numbers. All of them are candidates, in the order of the columns; the first mobile number becomes
 * the number of the contact. actors/domain/numbers decides how to read a candidate, with the help
 * of people whom the tenant already knows.
 */

/** Maximum number of candidates per row. An address card may hold thousands. */
const MOST_CANDIDATES = 20;

/** Cells that are not numbers are also candidates, so that their faults are reported. */
export const candidatesIn = (cells: readonly string[]): readonly string[] =>
  [...new Set(cells.flatMap(numbersIn))].slice(0, MOST_CANDIDATES);

function numbersIn(cell: string): readonly string[] {
  if (writtenNumber(cell).kind !== 'several_numbers' && cell.length <= LONGEST_CELL) return [cell];
  const parts = cell
    .slice(0, LONGEST_READ)
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => ['number', 'address', 'digits_lost'].includes(writtenNumber(part).kind));
  return parts.length > 0 ? parts : [cell.slice(0, LONGEST_CELL + 1)];
}

const LONGEST_CELL = 200;
const LONGEST_READ = 4_096;
const BETWEEN = /:::|[\n\r\u2028;,|&/]|(?<=\d)\s+(?=\+)|(?<![\p{L}])(?:or|and|atau|dan|o|y|e|ou|et|oder|und|أو|या|और)(?![\p{L}])/iu;

export const emptyPhone = (row: number): ImportError => ({ row, field: 'phone', error: { en: 'empty', id: 'kosong' }, code: 'empty' });
