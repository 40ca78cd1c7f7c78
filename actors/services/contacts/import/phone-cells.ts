import type { ImportError } from '../../../../store/jobs/jobs.ts';
import { writtenNumber } from '../../../domain/numbers/written-number.ts';

/**
 * Collects the phone numbers of a row. A file may have several phone columns, and a cell several
 * numbers: all of them are candidates, in column order, and the first mobile becomes the contact's
 * number. The texts are resolved elsewhere (actors/domain/numbers), using the people whom the
 * tenant knows.
 */

/** Maximum candidates per row, because an address card may hold thousands. */
const MOST_CANDIDATES = 20;

/** Also returns cells that are not numbers, so that their faults are reported. */
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
