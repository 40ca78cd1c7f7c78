import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import { writtenNumber } from '../../../domain/numbers/written-number.ts';
import type { LabelIndex } from '../labels.ts';
import { Utf8Check } from './charsets.ts';
import { columnsOf, MAX_COLUMNS, type Mapping, namePeople } from './columns.ts';
import { rowFrom } from './csv-rows.ts';
import { phoneRank } from './headers.ts';
import { type FileForm, tableOf } from './read-rows.ts';

/**
 * Finds out how to read a table: its separator, its header and what its columns mean. A table without a header is
 * recognized by a phone number in its first row. Its columns are then named A, B, C and so on, and only the column of
 * phone numbers and that of names are recognized.
 */

/** How to read a file: where its rows begin and what its columns mean. */
export interface Head extends Pick<FileForm, 'delimiter' | 'columns'> {
  readonly phones: readonly number[];
  readonly offset: number;
  /** Line number at `offset`. */
  readonly line: number;
  readonly headers: readonly string[];
  readonly hasHeader: boolean;
}

export interface Told {
  readonly attributes: LabelIndex['attributes'];
  /** Called once the whole file has arrived, because a form may send the mapping after the file. */
  readonly mapping?: () => Mapping;
  /** Whether the file was converted: see reader-jobs.ts. */
  readonly isConverted?: boolean;
  readonly others?: readonly string[];
}

export const DELIMITERS = [',', ';', '\t', '|'];
/** Lines in which the header is searched, and from which a table without one is recognized. */
const LINES_READ = 20;

interface Line {
  readonly cells: readonly string[];
  readonly delimiter: string;
  readonly offset: number;
  readonly line: number;
  readonly next: Pick<Head, 'offset' | 'line'>;
}

/** Takes the line with the most known column names, preferably one with a phone column. */
export function headOf(piece: Uint8Array, { attributes, mapping, isConverted = false }: Told): Head {
  const lines = linesOf(piece, isConverted).slice(0, LINES_READ);
  const keyNamed = keysByName(attributes);
  const chosen = mapping?.() ?? new Map();
  const read = ({ cells, delimiter }: Line, names: readonly string[]) => {
    const columns = columnsOf(names, keyNamed, chosen);
    if (isConverted) columns[0] = 'line';
    return {
      delimiter,
      columns,
      phones: phonesIn(names, columns),
      headers: names,
      isRow: cells.slice(0, MAX_COLUMNS).some((one) => isPhone(one) && !chosen.has(one)),
    };
  };
  const heads = lines.map((line) => ({ ...read(line, line.cells), ...line.next, hasHeader: true }));
  const best = heads.filter(({ isRow }) => !isRow).toSorted((one, other) => knownIn(other) - knownIn(one))[0];
  // A row of the same width above it shows that it is data, not the header: its rows must not be lost.
  const isBelowRows = heads
    .slice(0, best ? heads.indexOf(best) : 0)
    .some(({ isRow, headers }) => isRow && headers.length === best?.headers.length);
  if (best && !isBelowRows && namePeople(best.columns)) return best;
  const first = lines.findIndex(({ cells }) => cells.slice(isConverted ? 1 : 0).some((cell) => cell !== ''));
  const [row, head] = [lines[first], heads[first]];
  if (!row || !head?.isRow) return best ?? heads[0] ?? EMPTY_HEAD;
  const { delimiter, offset, line } = row;
  const letters = row.cells.map((_cell, nth) => (isConverted && nth === 0 ? '' : letterOf(isConverted ? nth - 1 : nth)));
  const told = read(row, letters);
  const columns = told.columns.some((column) => column !== null && column !== 'line') ? told.columns : guessed(lines, told.columns);
  return { delimiter, columns, phones: phonesIn(letters, columns), offset, line, headers: letters, hasHeader: false };
}

/** All lines of a piece with their cells. */
function linesOf(piece: Uint8Array, isConverted: boolean): readonly Line[] {
  // latin1 has one byte per character, so that offsets in the text are offsets in the file.
  const text = Buffer.from(piece).toString('latin1');
  const told = isConverted ? null : /^(?:"?sep=(.)"?)(\r\n|\n|\r)/i.exec(text);
  const lines: Line[] = [];
  for (let next = { offset: told?.[0].length ?? 0, line: told ? 2 : 1 }; next.offset < text.length && lines.length < LINES_READ; ) {
    const { offset, line } = next;
    const end = endOfRow(text, offset);
    const written = decoded(Buffer.from(text.slice(offset, end), 'latin1'));
    const delimiter = told?.[1] ?? (isConverted ? ',' : likeliest(written));
    const cells = (tableOf(written, delimiter)[0]?.record ?? []).map((cell) => cell.trim());
    next = {
      offset: Math.min(end + newlineAt(text, end), piece.length),
      line: line + 1 + (written.match(/\r\n|\n|\r/g)?.length ?? 0),
    };
    lines.push({ cells, delimiter, offset, line, next });
  }
  return lines;
}

const knownIn = ({ columns }: Pick<Head, 'columns'>): number =>
  columns.filter((column) => column !== null).length + (columns.includes('phone') ? 1_000 : namePeople(columns) ? 500 : 0);

/** Names the only column of phone numbers, and then the only column of names. Several of a kind stay for the caller to choose. */
function guessed(lines: readonly Line[], columns: readonly Column[]): Column[] {
  const cellsOf = (nth: number): readonly string[] => lines.flatMap(({ cells }) => cells[nth] || []);
  const ofKind = (isKind: (cells: readonly string[]) => boolean): readonly number[] =>
    [...columns.keys()].slice(0, MAX_COLUMNS).filter((nth) => columns[nth] !== 'line' && cellsOf(nth).length > 0 && isKind(cellsOf(nth)));
  const [phone, ...more] = ofKind((cells) => cells.filter(isPhone).length * 2 > cells.length);
  const [name, ...others] = ofKind((cells) => cells.every(isName) && new Set(cells).size * 2 > cells.length);
  if (phone === undefined || more.length > 0) return [...columns];
  return columns.map((column, nth) => (nth === phone ? 'phone' : nth === name && others.length === 0 ? 'name' : column));
}

/** Whether a cell holds phone numbers, and no date. */
function isPhone(cell: string): boolean {
  const { kind, ...written } = writtenNumber(cell);
  if (kind === 'several_numbers' || kind === 'address') return true;
  const digits = 'digits' in written ? written.digits.length : 0;
  return digits >= LEAST_DIGITS && digits <= MOST_DIGITS && !DATE.test(cell);
}

const LEAST_DIGITS = 8;
const MOST_DIGITS = 17;
const DATE = /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\b/;

const isName = (cell: string): boolean => /\p{L}/u.test(cell) && !/[\d@]/.test(cell);

/** Names columns as spreadsheets do: A to Z, then AA. */
const letterOf = (nth: number): string => (nth < 26 ? '' : letterOf(Math.floor(nth / 26) - 1)) + String.fromCharCode(65 + (nth % 26));

const EMPTY_HEAD: Head = { delimiter: ',', columns: [], phones: [], offset: 0, line: 1, headers: [], hasHeader: true };

const phonesIn = (headers: readonly string[], columns: readonly Column[]): readonly number[] =>
  [...columns.keys()]
    .filter((nth) => columns[nth] === 'phone')
    .toSorted((one, other) => phoneRank(headers[one] ?? '') - phoneRank(headers[other] ?? ''));

function keysByName(attributes: LabelIndex['attributes']): (name: string) => string | undefined {
  const named = attributes
    .all()
    .toReversed()
    .flatMap(({ key, label }) => [[label.toLowerCase(), key] as const, [key, key] as const]);
  const keys = new Map(named);
  return (name) => keys.get(name);
}

/** Decodes a complete header line. */
function decoded(header: Uint8Array): string {
  const check = new Utf8Check();
  check.add(header);
  return new TextDecoder(check.encoding()).decode(header);
}

/** Offset of the row's end, before its line end. */
function endOfRow(text: string, from: number): number {
  const to = rowFrom(text, from, { separators: DELIMITERS.join(''), isLast: true })?.to ?? text.length;
  const sign = /\r\n$|[\r\n]$/.exec(text.slice(Math.max(from, to - 2), to))?.[0] ?? '';
  return to - sign.length;
}

const newlineAt = (text: string, at: number): number => (text.startsWith('\r\n', at) ? 2 : 1);

function likeliest(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
