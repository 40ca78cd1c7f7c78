import { at } from '../../../../runtime/invariant.ts';
import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import type { LabelIndex } from '../labels.ts';
import { Utf8Check } from './charsets.ts';
import { columnsOf, MAX_COLUMNS, type Mapping, namePeople } from './columns.ts';
import { isPhone, nameColumn, phoneColumn, phoneLike, type Sample } from './contents.ts';
import { rowFrom } from './csv-rows.ts';
import { phoneRank } from './headers.ts';
import { type FileForm, tableOf } from './read-rows.ts';

/**
 * Determines how to read a table: its separator, its header and the meaning of its columns. Lines
 * without a number above the header are titles. Without a header, columns are named A, B, C and so
 * on. If no header names the column of numbers, the cells show which columns contain numbers and
 * names.
 */

export interface Head extends Pick<FileForm, 'delimiter' | 'columns'> {
  readonly phones: readonly number[];
  readonly offset: number;
  readonly line: number;
  readonly headers: readonly string[];
  readonly byContents: readonly number[];
}

export interface Told {
  readonly attributes: LabelIndex['attributes'];
  /** Called only after the file has been read, because a form may send the mapping after the file. */
  readonly mapping?: () => Mapping;
  readonly isConverted?: boolean;
  readonly others?: readonly string[];
}

export const DELIMITERS = [',', ';', '\t', '|'];
const LINES_READ = 20;

interface Line {
  /** In a converted table, the header's first cell is empty, because that column has line numbers. */
  readonly cells: readonly string[];
  readonly delimiter: string;
  readonly offset: number;
  readonly line: number;
  readonly next: Pick<Head, 'offset' | 'line'>;
}

/** Finds the header. A line that contains a number is always a row, even above the header. */
export function headOf(piece: Uint8Array, { attributes, mapping, isConverted = false }: Told): Head {
  const lines = linesOf(piece, isConverted).slice(0, LINES_READ);
  const keyNamed = keysByName(attributes);
  const chosen = mapping?.() ?? new Map();
  const headFrom: HeadFrom = (headers, { delimiter, offset, line }) => {
    const columns = columnsOf(headers, keyNamed, chosen);
    if (isConverted) columns[0] = 'line';
    return { delimiter, columns, phones: phonesIn(headers, columns), offset, line, headers, byContents: [] };
  };
  const isRow = ({ cells }: Line): boolean => cells.slice(0, MAX_COLUMNS).some((cell) => isPhone(cell) && !chosen.has(cell));
  const [others, rows] = [lines.filter((one) => !isRow(one)), lines.filter(isRow)];
  const [best] = others
    .map((line) => ({ ...line, head: headFrom(line.cells, { ...line, ...line.next }) }))
    .toSorted((one, other) => knownIn(other.head) - knownIn(one.head));
  if (best && namePeople(best.head.columns) && !isTitle(best.head, rows)) {
    const above = rows.find(({ line, cells }) => line < best.line && cells.length === best.cells.length);
    if (!above) return best.head;
    // One column name may be a person's name. Several make a header, even below a row.
    if (best.head.columns.filter((column) => column !== null && column !== 'line').length > 1)
      return { ...best.head, offset: above.offset, line: above.line };
  }
  const top = lines.findIndex(isRow);
  return top < 0 ? (best?.head ?? EMPTY_HEAD) : headByContents(lines, top, { headFrom, chosen, isConverted });
}

interface Reading {
  readonly headFrom: HeadFrom;
  readonly chosen: Mapping;
  readonly isConverted: boolean;
}

type HeadFrom = (headers: readonly string[], place: Pick<Head, 'delimiter' | 'offset' | 'line'>) => Head;

/** A single word, such as "Phone", is a title if the column below it contains no numbers. */
const isTitle = ({ headers, phones }: Head, rows: readonly Line[]): boolean =>
  filled(headers) === 1 && rows.length > 0 && rows.every(({ cells }) => !phones.some((nth) => isPhone(cells[nth] ?? '')));

function headByContents(lines: readonly Line[], top: number, { headFrom, chosen, isConverted }: Reading): Head {
  const table = mostAlike(lines.slice(top));
  const { cells: first, delimiter } = at(table, 0);
  const width = first.length;
  const among = [...Array(Math.min(width, MAX_COLUMNS)).keys()].slice(isConverted ? 1 : 0);
  const sample = { rows: table.map(({ cells }) => cells), among };
  const phones = phoneLike(sample);
  const above = lines.slice(0, top);
  // A header has text in the column of numbers. Otherwise, the line is a row without a number.
  const under = above.findLastIndex(({ cells }) => cells.length === width && phones.some((nth) => cells[nth] !== ''));
  const title = above.findLastIndex(({ cells }, nth) => cells.length !== width || isTitleOnly(above, nth, among.length));
  const header = above[under]?.cells;
  const { offset, line } = at(lines, Math.max(under, title) + 1);
  const letters = [...(isConverted ? [''] : []), ...first.map((_cell, nth) => letterOf(nth))].slice(0, width);
  const head = headFrom(header ?? letters, { delimiter, offset, line });
  return guessed(header ? head : { ...head, byContents: among }, sample, chosen);
}

/** A single word is a title above an empty line or a wide table. Elsewhere, it may be a person. */
function isTitleOnly(above: readonly Line[], nth: number, columns: number): boolean {
  const below = above[nth + 1];
  return filled(at(above, nth).cells) === 1 && ((nth === 0 && columns > 2) || (below !== undefined && filled(below.cells) === 0));
}

const filled = (cells: readonly string[]): number => cells.filter((cell) => cell !== '').length;

const mostAlike = (lines: readonly Line[]): readonly Line[] =>
  at(
    [...Map.groupBy(lines, ({ cells }) => cells.length).values()].toSorted((one, other) => other.length - one.length),
    0,
  );

function guessed(head: Head, { rows, among }: Sample, chosen: Mapping): Head {
  if (namePeople(head.columns)) return head;
  const free = { rows, among: among.filter((nth) => !head.columns[nth] && !chosen.has(head.headers[nth] ?? '')) };
  const phone = phoneColumn(free, head.byContents.length === 0);
  if (phone === undefined) return head;
  const name = NAMES.some((one) => head.columns.includes(one)) ? undefined : nameColumn(free);
  const columns = head.columns.map((column, nth) => (nth === phone ? 'phone' : nth === name ? 'name' : column));
  return { ...head, columns, phones: [phone], byContents: [...head.byContents, phone, ...(name === undefined ? [] : [name])] };
}

const NAMES = ['name', 'first_name', 'last_name'] as const;

function linesOf(piece: Uint8Array, isConverted: boolean): readonly Line[] {
  // latin1 has one byte per character, so offsets in the text are offsets in the file.
  const text = Buffer.from(piece).toString('latin1');
  const told = isConverted ? null : /^(?:"?sep=(.)"?)(\r\n|\n|\r)/i.exec(text);
  const lines: Line[] = [];
  for (let next = { offset: told?.[0].length ?? 0, line: told ? 2 : 1 }; next.offset < text.length && lines.length < LINES_READ; ) {
    const { offset, line } = next;
    const end = endOfRow(text, offset);
    const written = decoded(Buffer.from(text.slice(offset, end), 'latin1'));
    const delimiter = told?.[1] ?? (isConverted ? ',' : likeliest(written));
    const cells = (tableOf(written, delimiter)[0]?.record ?? []).map((cell, nth) => (isConverted && nth === 0 ? '' : cell.trim()));
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

const letterOf = (nth: number): string => (nth < 26 ? '' : letterOf(Math.floor(nth / 26) - 1)) + String.fromCharCode(65 + (nth % 26));

const EMPTY_HEAD: Head = { delimiter: ',', columns: [], phones: [], offset: 0, line: 1, headers: [], byContents: [] };

const phonesIn = (headers: readonly string[], columns: readonly Column[]): readonly number[] =>
  [...columns.keys()]
    .filter((nth) => columns[nth] === 'phone')
    .toSorted((one, other) => phoneRank(headers[one] ?? '') - phoneRank(headers[other] ?? ''));

/** Finds attributes by key or, failing that, by label. Exports name attributes by key. */
function keysByName(attributes: LabelIndex['attributes']): (name: string) => string | undefined {
  const all = attributes.all().toReversed();
  const keys = new Map([...all.map(({ label, key }) => [label.toLowerCase(), key] as const), ...all.map(({ key }) => [key, key] as const)]);
  return (name) => keys.get(name);
}

function decoded(header: Uint8Array): string {
  const check = new Utf8Check();
  check.add(header);
  return new TextDecoder(check.encoding()).decode(header);
}

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
