import { parse } from 'csv-parse/sync';
import type { Block } from './reading.ts';

/**
 * Converts tables to sentences. In the sentence for a row, each cell is preceded by its header
 * (`Service: Haircut; Price: 35.000`). Headers and spans in the markup are trusted. Without them,
 * the kinds of values in a column decide whether a row is a header.
 */

export interface Row {
  /** Merged cells all have the same text. */
  readonly cells: readonly string[];
  readonly isHeader?: true;
  readonly isSpanning?: true;
}

export type Table = readonly Row[];

const tableOf = (rows: readonly (readonly string[])[]): Table => rows.map((cells) => ({ cells }));

const QUESTION = /^(pertanyaan|tanya|question|q|faq)$/i;
const ANSWER = /^(jawaban|jawab|answer|a)$/i;

export function blocksOfTable(table: Table, heading: string): readonly Block[] {
  const blocks: Block[] = [];
  let header: readonly string[] | null = null;
  let section = heading;
  for (const part of partsOf(withoutEmptyColumns(table.map(trimmed)))) {
    const { titles, rows } = split(part);
    const size = headerRows(rows);
    const names = size > 0 ? namesOf(rows.slice(0, size)) : null;
    // After a blank row, the title and the header above it remain valid.
    if (names !== null || titles.length > 0) section = titles.length > 0 ? joined(heading, titles.at(-1) ?? '') : heading;
    blocks.push(...titles.slice(0, rows.length > 0 ? -1 : undefined).map((text) => ({ heading, text })));
    if (names !== null || widthOf(rows) > (header?.length ?? 0)) header = names;
    blocks.push(...blocksOfRows(rows.slice(size), header, section));
  }
  return blocks;
}

function blocksOfRows(rows: Table, header: readonly string[] | null, heading: string): readonly Block[] {
  const question = header?.findIndex((cell) => QUESTION.test(cell)) ?? -1;
  const answer = header?.findIndex((cell) => ANSWER.test(cell)) ?? -1;
  if (question >= 0 && answer >= 0)
    return rows.map(({ cells }) => ({ heading: (cells[question] ?? '').replace(/\s+/g, ' '), text: cells[answer] ?? '', isAnswer: true }));
  let section = heading;
  return rows.flatMap((row, at) => {
    if (row.isSpanning || isSection(row, rows[at + 1], header)) {
      section = joined(heading, firstOf(row.cells).replace(/:$/, ''));
      return [];
    }
    return [{ heading: section, text: textOf(row.cells, header) }];
  });
}

/** `FOOD` or `Food:` alone in the first cell names the rows below it. */
function isSection(row: Row, next: Row | undefined, header: readonly string[] | null): boolean {
  const [first = ''] = row.cells;
  if (header === null || next === undefined || filledIn(row) !== 1 || filledIn(next) < 2 || first.length > MAX_NAME) return false;
  return /:$/.test(first) || (/\p{Lu}{3}/u.test(first) && !/[\p{Ll}\d]/u.test(first));
}

function textOf(cells: readonly string[], header: readonly string[] | null): string {
  const filled = cells.filter((cell) => cell !== '');
  // A note under a table does not belong to its first column.
  const isNote = filled.length === 1 && ((header?.length ?? 0) > 2 || NOTE.test(filled[0] ?? ''));
  if (header !== null && !isNote)
    return cells.flatMap((cell, at) => (cell === '' ? [] : [header[at] ? `${header[at]}: ${cell}` : cell])).join('; ');
  return filled.join(filled.length === 2 ? ': ' : '; ');
}

const NOTE = /^[*#(]|^(note|catatan|nb|n\.b)\b|.{41}/i;

const joined = (heading: string, title: string): string => (heading === '' || heading === title ? title : `${heading} › ${title}`);
const trimmed = (row: Row): Row => ({ ...row, cells: row.cells.map((cell) => cell.trim()) });
const filledIn = ({ cells, isSpanning }: Row): number => (isSpanning ? 1 : cells.filter((cell) => cell !== '').length);
const firstOf = (cells: readonly string[]): string => cells.find((cell) => cell !== '') ?? '';
const widthOf = (rows: Table): number => rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);

function withoutEmptyColumns(table: Table): Table {
  const used = new Set(table.flatMap(({ cells }) => cells.flatMap((cell, at) => (cell === '' ? [] : [at]))));
  return table.map((row) => ({ ...row, cells: row.cells.filter((_, at) => used.has(at)) }));
}

function partsOf(table: Table): readonly Table[] {
  const parts: Row[][] = [[]];
  for (const row of table) {
    if (filledIn(row) > 0) parts.at(-1)?.push(row);
    else if (parts.at(-1)?.length !== 0) parts.push([]);
  }
  return mergedHeaders(parts.filter((rows) => rows.length > 0));
}

/** Joins a header or title to the rows that follow it after a blank row. */
function mergedHeaders(parts: readonly Table[]): readonly Table[] {
  const merged: Table[] = [];
  for (const part of parts) {
    const above = merged.at(-1);
    const isHeader =
      above?.filter((row) => filledIn(row) > 1).length === 1 && looksNamed(above.at(-1)?.cells ?? []) && !looksNamed(part[0]?.cells ?? []);
    if (above && (isHeader || above.every((row) => filledIn(row) === 1))) merged[merged.length - 1] = [...above, ...part];
    else merged.push(part);
  }
  return merged;
}

/** Splits off a table's titles. A title is a row with a single text above several columns. */
function split(part: Table): { readonly titles: readonly string[]; readonly rows: Table } {
  const start = part.findIndex((row) => filledIn(row) > 1);
  if (start < 0) return { titles: [], rows: part };
  return { titles: part.slice(0, start).map(({ cells }) => firstOf(cells)), rows: part.slice(start) };
}

const namesOf = (rows: Table): readonly string[] =>
  Array.from({ length: widthOf(rows) }, (_, at) =>
    [...new Set(rows.map(({ cells }) => cells[at] ?? ''))].filter((text) => text !== '').join(' '),
  );

function headerRows(rows: Table): number {
  const marked = rows.findIndex(({ isHeader }) => !isHeader);
  if (marked > 0) return marked;
  const [first, second, ...others] = rows;
  if (!first || !second || !isNamed(first.cells, [second, ...others])) return 0;
  const units = second.cells.filter((cell) => cell !== '');
  if (others.length > 0 && units.length > 0 && units.every((cell) => /^\([^()]*\)$/.test(cell))) return 2;
  // In a grouped header, one name spans several columns, each of which has its own name below it.
  const isGrouped = first.cells.some((cell, at) => cell !== '' && cell === first.cells[at + 1]);
  return isGrouped && others.length > 0 && second.cells.every((cell) => !isValue(cell)) && isNamed(second.cells, others) ? 2 : 1;
}

const looksNamed = (cells: readonly string[]): boolean => {
  const filled = cells.filter((cell) => cell !== '');
  return filled.length > 1 && new Set(filled).size === filled.length && filled.every((cell) => !isValue(cell) && cell.length <= MAX_NAME);
};

const MAX_NAME = 60;
const LOOKED_AT = 50;

function isNamed(first: readonly string[], body: Table): boolean {
  const rows = body.slice(0, LOOKED_AT).filter((row) => filledIn(row) > 1);
  const filled = first.filter((cell) => cell !== '');
  if (rows.length === 0 || filled.length < 2 || filled.some((cell) => cell.length > MAX_NAME)) return false;
  const width = widthOf(rows);
  const columns = Array.from({ length: Math.min(width, first.length) }, (_, at) => at);
  const below = (at: number): readonly string[] => rows.map(({ cells }) => cells[at] ?? '').filter((cell) => cell !== '');
  if (columns.some((at) => SERIES.some((series) => series.test(first[at] ?? '') && below(at).some((cell) => series.test(cell)))))
    return false;
  const votes = columns.map((at) => voteOf(first[at] ?? '', below(at))).reduce((sum, vote) => sum + vote, 0);
  if (votes !== 0) return votes > 0;
  // If no row or all rows contain amounts, an empty corner cell or typical names reveal the header.
  if (first[0] === '' && filled.length === first.length - 1) return true;
  if (filled.some((cell) => QUESTION.test(cell) || ANSWER.test(cell) || USUAL.test(cell))) return true;
  if (columns.some((at) => first[at] !== '' && below(at).includes(first[at] ?? ''))) return false;
  return filled.length > 2 && looksNamed(first);
}

/** Returns 1 if a cell looks like a header (no amount, unlike the cells below), -1 if not, 0 if unclear. */
function voteOf(name: string, below: readonly string[]): number {
  const kinds = below.filter((cell) => /\d/.test(cell) || NOTHING.test(cell)).map(kindOf);
  if (kinds.length * 2 <= below.length || name === '') return 0;
  if (NOTHING.test(name)) return -1;
  if (!/\d/.test(name)) return 1;
  if (isSmallBeside(name, below)) return 1;
  return kinds.filter((kind) => kind === kindOf(name)).length * 2 >= kinds.length ? -1 : 1;
}

/** A plain number, such as a year, may be the header of amounts that are much larger. */
function isSmallBeside(name: string, below: readonly string[]): boolean {
  if (!/^\d{1,4}$/.test(name)) return false;
  const amounts = below.map((cell) => Number(cell.replace(/\D/g, ''))).filter((amount) => amount > 0);
  return amounts.length > 0 && amounts.every((amount) => amount >= FAR_ABOVE * Number(name));
}

const FAR_ABOVE = 20;

const kindOf = (cell: string): string =>
  cell
    .toLowerCase()
    .replace(CURRENCY, '¤')
    .replace(/\d+([.,:]\d+)*/g, '9')
    .replace(/\p{L}+/gu, 'a')
    .replace(/\s+/g, '');

const CURRENCY = /rp\.?|idr|usd|us\$|eur|sgd|myr|rm|[$€£¥]/g;
const isValue = (cell: string): boolean => NOTHING.test(cell) || /^[^\p{L}]*\d[^\p{L}]*$/u.test(cell.toLowerCase().replace(CURRENCY, ''));
const NOTHING = /^(-+|–|—|n\/?a|tutup|closed|libur|gratis|free|kosong|habis|sold out|tidak ada|none)$/i;
/** Texts that form a series, such as weekdays. The header above a series is not part of it. */
const SERIES: readonly RegExp[] = [
  /^(senin|selasa|rabu|kamis|jum.?at|sabtu|minggu|ahad)\b/i,
  /^(mon|tue|wed|thu|fri|sat|sun)(s|nes|rs|ur)?(day)?s?\b/i,
  /^(jan|feb|mar|apr|ma[yi]|jun|jul|aug|agu|sep|o[ck]t|nov|de[cs])\p{L}*$/iu,
  /^(x{0,3}[sl]|m|[2-6]xl)$/i,
];
const USUAL =
  /^(no|nama|name|item|barang|produk|product|menu|layanan|service|jasa|paket|package|harga|price|tarif|rate|biaya|fee|cost|ongkir|shipping|kota|city|wilayah|area|zona|zone|hari|day|jam|hours?|time|waktu|buka|open|tutup|close|ukuran|size|warna|colou?r|stok|stock|keterangan|notes?|description|deskripsi|kategori|category|jumlah|qty|quantity|alamat|address|telepon|phone|tanggal|date|kode|code|merek|brand|type|tipe|jenis|durasi|duration)\b.{0,30}$/i;

/** Delimiters in order of preference, which decides ties. */
const DELIMITERS = [';', '\t', ',', '|'];

export function blocksOfCsv(text: string): readonly Block[] {
  const delimiter = delimiterOf(text.slice(0, 65_536).replace(/"[^"]*"/g, '""'));
  const options = { delimiter, relax_quotes: true, relax_column_count: true, skip_empty_lines: false, bom: true } as const;
  return blocksOfTable(tableOf(parse(text, options)), '');
}

const HEAD_LINES = 20;

/** Returns the delimiter that most of the first lines contain equally often. */
function delimiterOf(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, HEAD_LINES);
  const scores = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const usual = counts.find((count) => count > 0) ?? 0;
    return { delimiter, usual, alike: usual === 0 ? 0 : counts.filter((count) => count === usual).length };
  });
  const [best] = scores.toSorted((one, other) => other.alike - one.alike || other.usual - one.usual);
  return best?.delimiter ?? ',';
}
