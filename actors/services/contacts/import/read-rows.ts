import { type Options, parse } from 'csv-parse/sync';
import { PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import { type Cells, contactFrom, type ReadContact, type ReadingRules, type RowError, type RowPerson } from './cells.ts';
import { columnsOf } from './columns.ts';

/** Longer rows are not read: see next-rows.ts. */
export const MAX_ROW_BYTES = 8 * PIECE_BYTES;

/** A part of a file, from the beginning of a row. */
export interface FilePart extends ReadingRules {
  readonly bytes: Uint8Array;
  /** The file ends with it. */
  readonly isLast: boolean;
  /** Its first row has quotes that nothing closes: where it has no end, its lines are rows. */
  readonly isLongest: boolean;
  readonly form: FileForm;
  /** The line that it begins with. */
  readonly line: number;
}

export interface FileForm {
  /** `rows`: one JSON record a line. */
  readonly kind: 'csv' | 'rows';
  readonly encoding: 'utf-8' | 'windows-1252';
  readonly delimiter: string;
  readonly columns: readonly Column[];
  /** Places of the columns with numbers, the one that goes first first. Absent: in their order. */
  readonly phones?: readonly number[];
}

export interface ReadRows {
  readonly contacts: readonly ReadContact[];
  readonly errors: readonly RowError[];
  /** Of rows with something wrong that have numbers. */
  readonly persons: readonly RowPerson[];
  /** Rows with something wrong. */
  readonly invalid: number;
  /** Where the next part begins: bytes further, and its line. 0: the part is shorter than its first row. */
  readonly consumed: number;
  readonly line: number;
}

/** Reads all complete rows. Text that is not UTF-8 was detected before: only a row can fail here. */
export function readRows(part: FilePart): ReadRows {
  const { bytes, isLast, form } = part;
  const decoded = new TextDecoder(form.encoding, { ignoreBOM: true }).decode(bytes);
  const text = isLast ? decoded : decoded.slice(0, wholeRows(decoded, part));
  const records = form.kind === 'rows' ? jsonRecords(text, part.line) : csvRecords(text, form, part.line);
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

/** How much of a text is whole rows. */
function wholeRows(text: string, { form, isLongest }: FilePart): number {
  const lineEnd = form.kind === 'rows' || text.includes('\n') ? '\n' : '\r';
  const lines = text.lastIndexOf(lineEnd) + 1;
  const rows = form.kind === 'rows' ? lines : unquotedLines(text, lineEnd);
  return rows || !isLongest ? rows : lines;
}

/** Up to the last line end that is not within quotes. */
function unquotedLines(text: string, lineEnd: string): number {
  let end = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === lineEnd && !isQuoted) end = at + 1;
  }
  return end;
}

const newlines = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

function csvRecords(text: string, { delimiter, columns, phones = [] }: FileForm, line: number): Record[] {
  const order = [...new Set([...phones, ...columns.keys()])];
  return tableOf(text, delimiter).flatMap(({ record, at }) => {
    const cells = order.flatMap((nth) => {
      const [column, cell = ''] = [columns[nth], record[nth]];
      return column && column !== 'line' && cell !== '' ? [[column, cell] as const] : [];
    });
    const isLined = columns[0] === 'line';
    if (!record.some((cell, nth) => cell.trim() !== '' && !(isLined && nth === 0))) return [];
    return [{ row: isLined ? Number(record[0]) : line + at, cells }];
  });
}

interface TableRow {
  readonly record: readonly string[];
  /** Lines before it. */
  readonly at: number;
}

/** The cells of each row. A quote that is never closed is a character like others. */
export function tableOf(text: string, delimiter: string): readonly TableRow[] {
  const options = { delimiter, relax_column_count: true, relax_quotes: true, record_delimiter: ['\r\n', '\n', '\r'] };
  const records = parsed(text, options) ?? parsed(text, { ...options, quote: null }) ?? [];
  let at = 0;
  return records.map((record) => {
    const row = { record, at };
    at += 1 + record.reduce((sum, cell) => sum + newlines(cell), 0);
    return row;
  });
}

function parsed(text: string, options: Options): readonly (readonly string[])[] | null {
  try {
    return parse(text, options);
  } catch {
    return null;
  }
}

function jsonRecords(text: string, line: number): Record[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((one, nth) => ({ row: line + nth, cells: cellsOfJson(JSON.parse(one)) }));
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
