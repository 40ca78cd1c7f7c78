import { newId } from '../../../../runtime/ids.ts';
import { type ImportFiles, PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import { refusal, tooLarge } from '../../../domain/refusals.ts';
import type { LabelIndex } from '../labels.ts';
import { columnsOf } from './columns.ts';
import { type FileForm, tableOf } from './read-rows.ts';

/** Of one file. */
export const MAX_IMPORT_BYTES = 25 * 1024 * 1024;

/** Of all files of a tenant that wait or are being imported. */
const MAX_WAITING_BYTES = 4 * MAX_IMPORT_BYTES;
const MAX_PIECES = Math.ceil(MAX_WAITING_BYTES / PIECE_BYTES);
/** Room is looked for before so many pieces: a tenant's uploads that come at once go over it by so much each. */
const PIECES_A_LOOK = 64;

/** A file that is stored, and how to read it. */
export interface StoredFile {
  readonly id: string;
  readonly bytes: number;
  readonly form: FileForm;
  /** Where its rows begin, and the line that is. */
  readonly offset: number;
  readonly line: number;
  /** Columns that are not imported. */
  readonly ignored: readonly string[];
}

/**
 * Stores a CSV file as any spreadsheet writes it: separated by comma, semicolon, tab or bar, in UTF-8, UTF-16 or Windows-1252, with or without
 * a BOM. Refuses PAYLOAD_TOO_LARGE, OVERLOADED while too many bytes of the tenant wait, and VALIDATION_FAILED when no column of its first line holds phone numbers.
 */
export async function storeCsv(
  files: ImportFiles,
  tenantId: string,
  source: AsyncIterable<Uint8Array>,
  { attributes }: Pick<LabelIndex, 'attributes'>,
  now: number,
): Promise<StoredFile> {
  const check = new Utf8Check();
  const { id, bytes, result } = await written(files, tenantId, now, async (add) => {
    let head: Head | null = null;
    for await (const piece of pieces(inOneEncoding(limited(source)))) {
      head ??= headOf(noWorkbook(piece), attributes);
      check.add(piece);
      await add(piece);
    }
    if (!head) throw refusal('VALIDATION_FAILED', { field: 'file', reason: EMPTY });
    return head;
  });
  const { delimiter, columns, ...rest } = result;
  return { id, bytes, form: { kind: 'csv', encoding: check.encoding(), delimiter, columns }, ...rest };
}

/** Stores rows that were JSON. Refuses OVERLOADED as `storeCsv` does. */
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
  };
}

interface WrittenFile<R> {
  readonly id: string;
  readonly bytes: number;
  readonly result: R;
}

/** A file of the pieces that `fill` adds. Of one that is refused or breaks off nothing stays. */
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
    // Where that fails, too, they expire.
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

/** UTF-16 becomes UTF-8, a BOM goes; all else stays as it is. */
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

/** The same bytes in pieces of PIECE_BYTES. */
async function* pieces(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    kept = Buffer.concat([kept, chunk]);
    for (; kept.length >= PIECE_BYTES; kept = kept.subarray(PIECE_BYTES)) yield kept.subarray(0, PIECE_BYTES);
  }
  if (kept.length > 0) yield kept;
}

/** Is all of it UTF-8? Otherwise it is read as Windows-1252, which old spreadsheets write. */
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

/** The formats that spreadsheets save by default: a zip, or the old compound file. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];

function noWorkbook(piece: Uint8Array): Uint8Array {
  const start = Buffer.from(piece.subarray(0, 4)).toString('hex');
  if (WORKBOOKS.includes(start)) throw refusal('VALIDATION_FAILED', { field: 'file', reason: A_WORKBOOK });
  return piece;
}

type Head = Pick<FileForm, 'delimiter' | 'columns'> & Pick<StoredFile, 'offset' | 'line' | 'ignored'>;

const DELIMITERS = [',', ';', '\t', '|'];

function headOf(piece: Uint8Array, attributes: LabelIndex['attributes']): Head {
  // One byte a character, so that places in the text are places in the file.
  const text = Buffer.from(piece).toString('latin1');
  const told = /^(?:"?sep=(.)"?)(\r\n|\n|\r)/i.exec(text);
  const from = told?.[0].length ?? 0;
  const end = lineEnd(text, from);
  const header = decoded(Buffer.from(text.slice(from, end), 'latin1'));
  const delimiter = told?.[1] ?? likeliest(header);
  const names = (tableOf(header, delimiter)[0]?.record ?? []).map((name) => name.trim());
  const keys = new Map(
    attributes
      .all()
      .toReversed()
      .flatMap(
        ({ key, label }) =>
          [
            [label.toLowerCase(), key],
            [key, key],
          ] as const,
      ),
  );
  const byName = (name: string): string | undefined => keys.get(name);
  const columns = columnsOf(names, byName);
  if (!columns.includes('phone')) throw refusal('VALIDATION_FAILED', { field: 'phone', reason: NO_PHONE });
  const lines = (told ? 1 : 0) + (header.match(/\r\n|\n|\r/g)?.length ?? 0) + 1;
  return {
    delimiter,
    columns,
    offset: Math.min(end + newlineAt(text, end), piece.length),
    line: lines + 1,
    ignored: names.filter((name, nth) => name !== '' && columns[nth] === null).slice(0, 50),
  };
}

/** A header is whole, so it alone says which of the two it is written in. */
function decoded(header: Uint8Array): string {
  const check = new Utf8Check();
  check.add(header);
  return new TextDecoder(check.encoding()).decode(header);
}

function lineEnd(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (text[at] === '\n' || text[at] === '\r')) return at;
  }
  return text.length;
}

const newlineAt = (text: string, at: number): number => (text.startsWith('\r\n', at) ? 2 : 1);

/** Which of them the header has most of, outside of quotes. */
function likeliest(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

const EMPTY = { en: 'the file is empty', id: 'berkas kosong' };
const A_WORKBOOK = {
  en: 'this is a workbook (.xlsx, .xls or .ods); save it as CSV and import that',
  id: 'ini buku kerja (.xlsx, .xls atau .ods); simpan sebagai CSV lalu impor berkas itu',
};
const NO_PHONE = {
  en: 'no column of the first line is a phone number (a header such as `phone`, `whatsapp` or `nomor hp`)',
  id: 'tidak ada kolom nomor telepon di baris pertama (judul seperti `phone`, `whatsapp` atau `nomor hp`)',
};
