import { parse } from 'csv-parse/sync';
import { PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import { type Cells, contactFrom, type ReadContact, type ReadingRules, type RowError, type RowPerson } from './cells.ts';
import { columnsOf } from './columns.ts';
import { saysRefused } from './consent-cells.ts';
import { type CsvRow, csvRows, type Likeness, literalRow } from './csv-rows.ts';

export const MAX_ROW_BYTES = 8 * PIECE_BYTES;

export interface FilePart extends ReadingRules {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  /** Whether the part has maximum length. If it holds no complete row, its quotes are then ordinary. */
  readonly isLongest: boolean;
  readonly form: FileForm;
  readonly line: number;
}

export interface FileForm {
  /** `rows`: one JSON record per line. */
  readonly kind: 'csv' | 'rows';
  readonly encoding: 'utf-8' | 'windows-1252';
  readonly delimiter: string;
  readonly columns: readonly Column[];
  /** Phone columns in order of preference. If absent, the order of the columns is used. */
  readonly phones?: readonly number[];
}

export interface ReadRows {
  readonly contacts: readonly ReadContact[];
  readonly errors: readonly RowError[];
  readonly persons: readonly RowPerson[];
  readonly invalid: number;
  /** Number of bytes read. 0 if the first row is longer than the part. */
  readonly consumed: number;
  readonly line: number;
}

/** The encoding has already been checked, so only single rows can have faults. */
export function readRows(part: FilePart): ReadRows {
  const { bytes, isLast, form } = part;
  const decoded = new TextDecoder(form.encoding, { ignoreBOM: true }).decode(bytes);
  const { text, records } = form.kind === 'rows' ? jsonLines(decoded, part) : csvRecords(decoded, part);
  const contacts: ReadContact[] = [];
  const errors: RowError[] = [];
  const persons: RowPerson[] = [];
  let invalid = 0;
  for (const { row, cells } of records) {
    const read = contactFrom(row, cells, part);
    if ('phones' in read) contacts.push(read);
    else {
      errors.push(...read.errors);
      if (read.person) persons.push(read.person);
      invalid += 1;
    }
  }
  const consumed = form.encoding === 'utf-8' ? Buffer.byteLength(text) : text.length;
  return { contacts, errors, persons, invalid, consumed: isLast ? bytes.length : consumed, line: part.line + newlines(text) };
}

interface Record {
  readonly row: number;
  readonly cells: Cells;
}

interface Records {
  readonly text: string;
  readonly records: readonly Record[];
}

const newlines = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

function csvRecords(text: string, { form, line, isLast, isLongest }: FilePart): Records {
  const { delimiter, columns, phones = [] } = form;
  const rules = { separators: delimiter, isLast, likeness: likenessIn(form) };
  const found = csvRows(text, rules);
  const first = found.length === 0 && isLongest ? literalRow(text, 0, rules) : null;
  const rows = first ? [first, ...csvRows(text.slice(first.to), rules).map((row) => moved(row, first.to))] : found;
  const order = [...new Set([...phones, ...columns.keys()])];
  const isLined = columns[0] === 'line';
  const records = tableIn(text, rows, delimiter).flatMap(({ record, at }) => {
    const cells = order.flatMap((nth) => {
      const [column, cell = ''] = [columns[nth], record[nth]];
      if (column === null && saysRefused(cell)) return [['consent', cell] as const];
      return column && column !== 'line' && cell !== '' ? [[column, cell] as const] : [];
    });
    if (!record.some((cell, nth) => cell.trim() !== '' && !(isLined && nth === 0))) return [];
    return [{ row: isLined ? Number(record[0]) : line + at, cells }];
  });
  return { text: text.slice(0, rows.at(-1)?.to ?? 0), records };
}

const moved = ({ from, to, isLiteral }: CsvRow, by: number): CsvRow => ({ from: from + by, to: to + by, isLiteral });

/** Matches at least seven digits, the minimum for a phone number. */
const NUMBER = /(?:\d\D*){7}/;

/** Recognizes lines that look like rows. Undefined for one column, because any line could be a row. */
function likenessIn({ delimiter, columns, phones = [] }: FileForm): ((line: string) => Likeness) | undefined {
  const places = phones.length > 0 ? phones : [...columns.keys()].filter((nth) => columns[nth] === 'phone');
  if (places.length === 0 || columns.length < 2) return undefined;
  return (line) => {
    const cells = line.split(delimiter);
    if (cells.length !== columns.length) return 'none';
    return places.some((nth) => NUMBER.test(cells[nth] ?? '')) ? 'row' : 'shape';
  };
}

interface TableRow {
  readonly record: readonly string[];
  readonly at: number;
}

export const tableOf = (text: string, delimiter: string): readonly TableRow[] =>
  tableIn(text, csvRows(text, { separators: delimiter, isLast: true }), delimiter);

function tableIn(text: string, rows: readonly CsvRow[], delimiter: string): readonly TableRow[] {
  const records = runsOf(rows).flatMap(([first, last, isLiteral]) => recordsIn(text.slice(first.from, last.to), delimiter, isLiteral));
  let at = 0;
  return rows.map(({ from, to }, nth) => {
    const row = { record: records[nth] ?? [], at };
    at += newlines(text.slice(from, to));
    return row;
  });
}

function recordsIn(text: string, delimiter: string, isLiteral: boolean): readonly (readonly string[])[] {
  const options = { delimiter, relax_column_count: true, relax_quotes: true, record_delimiter: ['\r\n', '\n', '\r'] };
  return parse(text, isLiteral ? { ...options, quote: null } : options);
}

function runsOf(rows: readonly CsvRow[]): readonly (readonly [CsvRow, CsvRow, boolean])[] {
  const runs: [CsvRow, CsvRow, boolean][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run && run[2] === row.isLiteral) run[1] = row;
    else runs.push([row, row, row.isLiteral]);
  }
  return runs;
}

function jsonLines(decoded: string, { line, isLast }: FilePart): Records {
  const text = isLast ? decoded : decoded.slice(0, decoded.lastIndexOf('\n') + 1);
  const lines = text.split('\n').filter(Boolean);
  return { text, records: lines.map((one, nth) => ({ row: line + nth, cells: cellsOfJson(JSON.parse(one)) })) };
}

function cellsOfJson(record: object): Cells {
  const { attrs, ...fields }: { readonly [name: string]: unknown } = { ...record };
  const own =
    typeof attrs === 'object' && attrs !== null ? Object.entries(attrs).map(([key, value]) => [`attr.${key}`, value] as const) : [];
  return [...Object.entries(fields), ...own].flatMap(([name, value]) => {
    const [column] = columnsOf([name], () => undefined);
    return column && value !== null && value !== '' ? [[column, textOf(value)] as const] : [];
  });
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(';');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
