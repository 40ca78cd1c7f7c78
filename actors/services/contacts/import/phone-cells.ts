import type { ImportError } from '../../../../store/jobs/jobs.ts';
import { writtenNumber } from '../../../domain/numbers/written-number.ts';

/**
 * The number of a row. A file may have several columns with numbers, and a cell several numbers: all of them are candidates, in the order of the
 * columns, and the first mobile among them is the contact's. What each text means is read elsewhere (actors/domain/numbers), with the people
 * whom the tenant knows.
 */

/** At most so many of a row: a card may hold thousands. */
const MOST_CANDIDATES = 20;

/** The numbers in the cells of a row, each as a text. A cell whose text is no number is one, so that its fault is named. */
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

/** A longer one is not read as one number. */
const LONGEST_CELL = 200;
const LONGEST_READ = 4_096;
/** What stands between numbers: signs, line breaks, and "or" and "and" of the languages whose headers are known. */
const BETWEEN = /:::|[\n\r\u2028;,|&/]|(?<=\d)\s+(?=\+)|(?<![\p{L}])(?:or|and|atau|dan|o|y|e|ou|et|oder|und|أو|या|और)(?![\p{L}])/iu;

export const emptyPhone = (row: number): ImportError => ({ row, field: 'phone', error: { en: 'empty', id: 'kosong' }, code: 'empty' });
