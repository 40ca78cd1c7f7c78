import { newId } from '../../../../runtime/ids.ts';
import { type ImportFiles, PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import { refusal, tooLarge } from '../../../domain/refusals.ts';
import type { LabelIndex } from '../labels.ts';
import { columnsOf, MAX_COLUMNS, type Mapping, namePeople } from './columns.ts';
import { rowFrom } from './csv-rows.ts';
import { phoneRank } from './headers.ts';
import { type FileForm, tableOf } from './read-rows.ts';

/** Maximum size of a file. */
export const MAX_IMPORT_BYTES = 25 * 1024 * 1024;

/** Maximum size of all of a tenant's files that wait or are being imported. */
const MAX_WAITING_BYTES = 4 * MAX_IMPORT_BYTES;
const MAX_PIECES = Math.ceil(MAX_WAITING_BYTES / PIECE_BYTES);
/** Pieces between two capacity checks; each concurrent upload may exceed the limit by this much. */
const PIECES_A_LOOK = 64;

/** How to read a file: where its rows begin and what its columns mean. */
export interface Head extends Pick<FileForm, 'delimiter' | 'columns'> {
  readonly phones: readonly number[];
  readonly offset: number;
  /** Line number at `offset`. */
  readonly line: number;
  readonly headers: readonly string[];
}

export interface StoredFile {
  readonly id: string;
  readonly bytes: number;
  readonly form: FileForm;
  readonly offset: number;
  readonly line: number;
  readonly ignored: readonly string[];
  readonly decisions: readonly Decision[];
}

export interface Decision {
  readonly column: string;
  readonly as: string;
}

export interface Told {
  readonly attributes: LabelIndex['attributes'];
  /** Called once the whole file has arrived, because a form may send the mapping after the file. */
  readonly mapping?: () => Mapping;
  /** Whether the file was converted: see reader-jobs.ts. */
  readonly isConverted?: boolean;
  readonly others?: readonly string[];
}

/**
 * Separated by comma, semicolon, tab or bar, in UTF-8, UTF-16 or Windows-1252, with or without
 * titles above the header. Fails with PAYLOAD_TOO_LARGE, OVERLOADED if too many of the tenant's bytes
 * are waiting, and VALIDATION_FAILED if no column identifies people.
 */
export async function storeCsv(
  files: ImportFiles,
  tenantId: string,
  source: AsyncIterable<Uint8Array>,
  told: Told,
  now: number,
): Promise<StoredFile> {
  const { id, bytes, result } = await written(files, tenantId, now, async (add) => {
    const { first, encoding } = await readThrough(source, add);
    const head = headOf(first, told);
    if (!namePeople(head.columns)) throw refusal('VALIDATION_FAILED', { field: 'phone', reason: NO_PHONE });
    return { ...head, encoding };
  });
  const { encoding, delimiter, columns, phones, offset, line } = result;
  return {
    id,
    bytes,
    form: { kind: 'csv', encoding, delimiter, columns, phones },
    offset,
    line,
    ...columnsOfHead(result, told.others ?? []),
  };
}

/** Fails with PAYLOAD_TOO_LARGE, and VALIDATION_FAILED for an empty file or a workbook. */
export async function readThrough(
  source: AsyncIterable<Uint8Array>,
  add: (piece: Uint8Array) => Promise<void> | void,
): Promise<{ readonly first: Uint8Array; readonly encoding: FileForm['encoding'] }> {
  const check = new Utf8Check();
  let first: Uint8Array | null = null;
  for await (const piece of pieces(inOneEncoding(limited(source)))) {
    first ??= noWorkbook(piece);
    check.add(piece);
    await add(piece);
  }
  if (!first) throw refusal('VALIDATION_FAILED', { field: 'file', reason: EMPTY });
  return { first, encoding: check.encoding() };
}

function columnsOfHead({ headers, columns }: Head, others: readonly string[]): Pick<StoredFile, 'ignored' | 'decisions'> {
  const named = headers.flatMap((column, nth) => (column === '' || columns[nth] === 'line' ? [] : [{ column, as: columns[nth] ?? null }]));
  return {
    ignored: [...named.filter(({ as }) => as === null).map(({ column }) => column), ...others].slice(0, MAX_COLUMNS),
    decisions: named.flatMap(({ column, as }) => (as === null ? [] : [{ column, as }])),
  };
}

/** Fails with OVERLOADED as `storeCsv` does. */
export async function storeRows(
  files: ImportFiles,
  tenantId: string,
  rows: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  now: number,
): Promise<StoredFile> {
  const { id, bytes } = await written(files, tenantId, now, async (add) => {
    for await (const piece of pieces(rows)) await add(piece);
  });
  return {
    id,
    bytes,
    form: { kind: 'rows', encoding: 'utf-8', delimiter: ',', columns: [] },
    offset: 0,
    line: 1,
    ignored: [],
    decisions: [],
  };
}

interface WrittenFile<R> {
  readonly id: string;
  readonly bytes: number;
  readonly result: R;
}

/** Removes the pieces if `fill` fails or is interrupted. */
async function written<R>(
  files: ImportFiles,
  tenantId: string,
  now: number,
  fill: (add: (piece: Uint8Array) => Promise<void>) => Promise<R>,
): Promise<WrittenFile<R>> {
  const id = newId(now);
  let [bytes, count] = [0, 0];
  try {
    const result = await fill(async (piece) => {
      if (count % PIECES_A_LOOK === 0) await expectRoom(files, tenantId);
      await files.write(tenantId, id, count, piece, now);
      bytes += piece.length;
      count += 1;
    });
    return { id, bytes, result };
  } catch (cause) {
    // If the removal fails as well, the pieces expire.
    await files.remove(id, count).catch(() => {});
    throw cause;
  }
}

async function expectRoom(files: ImportFiles, tenantId: string): Promise<void> {
  if ((await files.count(tenantId, MAX_PIECES)) >= MAX_PIECES) throw refusal('OVERLOADED', { retryAfterMs: 60_000 });
}

async function* limited(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > MAX_IMPORT_BYTES) throw tooLarge(MAX_IMPORT_BYTES);
    yield chunk;
  }
}

async function* inOneEncoding(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: Decoder | null | undefined;
  let start: Uint8Array = Buffer.alloc(0);
  for await (const chunk of source) {
    if (decoder === undefined) {
      start = Buffer.concat([start, chunk]);
      if (start.length < 4) continue;
      decoder = decoderOf(start);
      yield decoder ? Buffer.from(decoder.decode(start, { stream: true })) : withoutBom(start);
    } else yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  if (decoder === undefined) yield withoutBom(start);
}

type Decoder = InstanceType<typeof TextDecoder>;

function decoderOf(start: Uint8Array): Decoder | null {
  const [one, two, three, four] = start;
  if (one === 0xff && two === 0xfe) return new TextDecoder('utf-16le');
  if (one === 0xfe && two === 0xff) return new TextDecoder('utf-16be');
  if (one !== 0 && two === 0 && three !== 0 && four === 0) return new TextDecoder('utf-16le');
  return one === 0 && two !== 0 && three === 0 && four !== 0 ? new TextDecoder('utf-16be') : null;
}

const withoutBom = (start: Uint8Array): Uint8Array =>
  start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? start.subarray(3) : start;

async function* pieces(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    kept = Buffer.concat([kept, chunk]);
    for (; kept.length >= PIECE_BYTES; kept = kept.subarray(PIECE_BYTES)) yield kept.subarray(0, PIECE_BYTES);
  }
  if (kept.length > 0) yield kept;
}

/** A file that is not UTF-8 is read as Windows-1252, which old spreadsheets write. */
class Utf8Check {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #isUtf8 = true;

  add(piece: Uint8Array): void {
    this.#try(() => this.#decoder.decode(piece, { stream: true }));
  }

  encoding(): FileForm['encoding'] {
    this.#try(() => this.#decoder.decode());
    return this.#isUtf8 ? 'utf-8' : 'windows-1252';
  }

  #try(decode: () => void): void {
    if (!this.#isUtf8) return;
    try {
      decode();
    } catch {
      this.#isUtf8 = false;
    }
  }
}

/** Detects the kind from the first bytes; a zip counts as a workbook. */
export function kindOf(start: Uint8Array): 'csv' | 'xlsx' | 'vcard' {
  if (Buffer.from(start.subarray(0, 4)).toString('hex') === '504b0304') return 'xlsx';
  return /^(?:\uFEFF)?\s*BEGIN:VCARD/i.test(Buffer.from(start.subarray(0, 64)).toString()) ? 'vcard' : 'csv';
}

/** Signatures of a zip and of the old default format of spreadsheets (.xls). */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];

function noWorkbook(piece: Uint8Array): Uint8Array {
  const start = Buffer.from(piece.subarray(0, 4)).toString('hex');
  if (WORKBOOKS.includes(start)) throw refusal('VALIDATION_FAILED', { field: 'file', reason: A_WORKBOOK });
  return piece;
}

export const DELIMITERS = [',', ';', '\t', '|'];
const LINES_ABOVE = 20;

/** Finds the header: the line with the most known column names, preferably one with a phone column. */
export function headOf(piece: Uint8Array, { attributes, mapping, isConverted = false }: Told): Head {
  // latin1 has one byte per character, so that offsets in the text are offsets in the file.
  const text = Buffer.from(piece).toString('latin1');
  const told = isConverted ? null : /^(?:"?sep=(.)"?)(\r\n|\n|\r)/i.exec(text);
  const keyNamed = keysByName(attributes);
  const chosen = mapping?.() ?? new Map();
  const heads: (Head & { readonly known: number })[] = [];
  for (let [from, line, nth] = [told?.[0].length ?? 0, told ? 2 : 1, 0]; from < text.length && nth < LINES_ABOVE; nth += 1) {
    const end = endOfRow(text, from);
    const header = decoded(Buffer.from(text.slice(from, end), 'latin1'));
    const delimiter = told?.[1] ?? (isConverted ? ',' : likeliest(header));
    const headers = (tableOf(header, delimiter)[0]?.record ?? []).map((name) => name.trim());
    const columns = columnsOf(headers, keyNamed, chosen);
    if (isConverted) columns[0] = 'line';
    line += 1 + (header.match(/\r\n|\n|\r/g)?.length ?? 0);
    const offset = Math.min(end + newlineAt(text, end), piece.length);
    const known = columns.filter((column) => column !== null).length + (columns.includes('phone') ? 1_000 : namePeople(columns) ? 500 : 0);
    heads.push({ delimiter, columns, phones: phonesIn(headers, columns), offset, line, headers, known });
    from = offset;
  }
  return heads.toSorted((one, other) => other.known - one.known)[0] ?? EMPTY_HEAD;
}

const EMPTY_HEAD: Head = { delimiter: ',', columns: [], phones: [], offset: 0, line: 1, headers: [] };

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

const EMPTY = { en: 'the file is empty', id: 'berkas kosong' };
const A_WORKBOOK = {
  en: 'this is an old workbook (.xls); save it as .xlsx or CSV, then import that file',
  id: 'ini buku kerja lama (.xls); simpan sebagai .xlsx atau CSV lalu impor berkas itu',
};
const NO_PHONE = {
  en: 'the file has no phone number column (a header such as `phone`, `whatsapp` or `nomor hp`); choose one with `columns`',
  id: 'tidak ada kolom nomor telepon di berkas ini (judul seperti `phone`, `whatsapp` atau `nomor hp`); pilih kolomnya dengan `columns`',
};
