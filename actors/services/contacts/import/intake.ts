import { newId } from '../../../../runtime/ids.ts';
import { type ImportFiles, PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import { refusal, tooLarge } from '../../../domain/refusals.ts';
import { Utf8Check, wideCharset } from './charsets.ts';
import { MAX_COLUMNS, namePeople } from './columns.ts';
import { type Head, headOf, type Told } from './head.ts';
import type { FileForm } from './read-rows.ts';

export const MAX_IMPORT_BYTES = 25 * 1024 * 1024;

/** Maximum total size of a tenant's files that are waiting or being imported. */
const MAX_WAITING_BYTES = 4 * MAX_IMPORT_BYTES;
const MAX_PIECES = Math.ceil(MAX_WAITING_BYTES / PIECE_BYTES);
/** Number of pieces between two checks of the limit. Each concurrent upload may exceed it by as many. */
const PIECES_A_LOOK = 64;

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

/** Fails with PAYLOAD_TOO_LARGE, OVERLOADED or VALIDATION_FAILED (no column identifies people). */
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

/** Fails with PAYLOAD_TOO_LARGE or VALIDATION_FAILED (the file is empty or a workbook). */
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
    // If this also fails, the pieces are removed when they expire.
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
  const charset = wideCharset(start);
  return charset && new TextDecoder(charset);
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

export function kindOf(start: Uint8Array): 'csv' | 'xlsx' | 'vcard' {
  if (Buffer.from(start.subarray(0, 4)).toString('hex') === '504b0304') return 'xlsx';
  const text = new TextDecoder(wideCharset(start) ?? 'utf-8').decode(start.subarray(0, 64));
  return /^\s*BEGIN:VCARD/i.test(text) ? 'vcard' : 'csv';
}

/** Signatures of a zip file and of the old spreadsheet format (.xls). */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];

function noWorkbook(piece: Uint8Array): Uint8Array {
  const start = Buffer.from(piece.subarray(0, 4)).toString('hex');
  if (WORKBOOKS.includes(start)) throw refusal('VALIDATION_FAILED', { field: 'file', reason: A_WORKBOOK });
  return piece;
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
