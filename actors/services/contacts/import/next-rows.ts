import { PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import { type FileForm, MAX_ROW_BYTES, type ReadRows } from './read-rows.ts';
import type { ImportReader } from './reader.ts';
import { type EndOfRow, RowEnd } from './row-end.ts';

export interface RowSource {
  readonly bytes: number;
  readonly form: FileForm;
  readonly optIn: boolean;
  /** Whether only the start of the file is read. Its last row may then be incomplete. */
  readonly isCut?: boolean;
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface Place {
  readonly offset: number;
  readonly line: number;
}

/** Reads a longer part if a row does not fit in one piece. Rejects if the file has expired. */
export async function nextRows(reader: Pick<ImportReader, 'rows'>, tenantId: string, source: RowSource, place: Place): Promise<ReadRows> {
  const { form, optIn } = source;
  const part = async (length: number, isLongest: boolean): Promise<ReadRows> => {
    const bytes = await source.read(place.offset, length);
    const isLast = !source.isCut && place.offset + bytes.length >= source.bytes;
    return reader.rows(tenantId, { bytes, isLast, isLongest, form, line: place.line, optIn });
  };
  for (const length of [PIECE_BYTES, MAX_ROW_BYTES]) {
    const read = await part(length, false);
    if (read.consumed > 0) return read;
  }
  const end = await rowEnd(source, place, true);
  if (end !== null && end.bytes > MAX_ROW_BYTES) return passedOver(source, place, end);
  // Quotes count as ordinary characters now, so each line is a row.
  const read = await part(MAX_ROW_BYTES, true);
  if (read.consumed > 0) return read;
  const line = await rowEnd(source, place, false);
  if (line === null || line.bytes === 0) throw new Error('the file of an import no longer exists');
  return passedOver(source, place, line);
}

async function rowEnd({ bytes, form, read }: RowSource, { offset }: Place, hasQuotes: boolean): Promise<EndOfRow | null> {
  const row = new RowEnd(form.delimiter, hasQuotes);
  for (let at = offset; at < bytes && !row.isKnown; at += PIECE_BYTES) row.add(await read(at, PIECE_BYTES));
  return row.end;
}

async function passedOver({ form, read }: RowSource, { offset, line }: Place, end: EndOfRow): Promise<ReadRows> {
  const named =
    form.columns[0] === 'line' ? /^"(\d+)"/.exec(Buffer.from(await read(offset, LINE_BYTES)).toString('latin1'))?.[1] : undefined;
  const errors = [{ row: named === undefined ? line : Number(named), field: 'row', error: TOO_LONG, code: 'row_too_long' }];
  return { contacts: [], errors, persons: [], invalid: 1, consumed: end.bytes, line: line + end.lines };
}

const LINE_BYTES = 20;
const KIB = Math.floor(MAX_ROW_BYTES / 1024);
const TOO_LONG = { en: `the row is longer than ${KIB} KB`, id: `baris lebih dari ${KIB} KB` };
