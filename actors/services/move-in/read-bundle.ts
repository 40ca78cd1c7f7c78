import { isOneOf, isRecord, memberOf } from '../../../runtime/shapes.ts';
import type { Counts, DroppedRecord } from '../../../store/devices/move-ins.ts';
import {
  FORMATS,
  type LoginFormat,
  type LoginReader,
  type LoginRecord,
  type ReadLogin,
  type Why,
} from '../../network/move-in/login-reader.ts';
import { parsed, TooDeep } from '../../network/move-in/revive.ts';

/**
 * Reads a login bundle: NDJSON with `{format}` on the first line and one record on each further
 * line. A bundle is a complete login, so its content is never logged or quoted. For a dropped
 * record, only the kind, the ID and a reason from a fixed list are kept.
 */

const MAX_LINE_BYTES = 1_048_576;
const MAX_DROPPED = 1_000;
const MAX_KIND = 40;
const MAX_ID = 128;
const MAX_KINDS = 64;

export interface ReadBundle {
  readonly accepted: Counts;
  readonly dropped: readonly DroppedRecord[];
  readonly droppedCount: number;
  readonly ignored: Counts;
  /** Null if `me` or `account` is missing, or if the network does not support the format. */
  readonly login: ReadLogin | null;
}

export class NoFormat extends Error {
  override readonly name = 'NoFormat';
}

interface Tally {
  readonly accepted: Map<string, number>;
  readonly ignored: Map<string, number>;
  readonly dropped: DroppedRecord[];
  droppedCount: number;
}

export async function readBundle(
  chunks: AsyncIterable<Uint8Array>,
  readerOf: (format: LoginFormat) => LoginReader | null,
): Promise<ReadBundle> {
  const tally: Tally = { accepted: new Map(), ignored: new Map(), dropped: [], droppedCount: 0 };
  let reader: LoginReader | null | undefined;
  for await (const line of linesOf(chunks)) {
    if (reader === undefined) reader = readerOf(formatIn(line));
    else if (reader) takeLine(reader, line, tally);
  }
  if (reader === undefined) throw new NoFormat();
  const { login, takenBack } = reader?.finish() ?? { login: null, takenBack: [] };
  for (const { kind, id, why } of takenBack) {
    count(tally.accepted, kind, -1);
    drop(tally, kind, id, why);
  }
  const { dropped, droppedCount } = tally;
  return { accepted: countsOf(tally.accepted), dropped, droppedCount, ignored: countsOf(tally.ignored), login };
}

function formatIn(line: string | null): LoginFormat {
  const record = line === null ? undefined : recordIn(line);
  const format = typeof record === 'object' ? memberOf(record, 'format') : undefined;
  if (!isOneOf<LoginFormat>(FORMATS, format)) throw new NoFormat();
  return format;
}

function takeLine(reader: LoginReader, line: string | null, tally: Tally): void {
  if (line === null) return drop(tally, '', '', 'too_long');
  const record = recordIn(line);
  if (typeof record === 'string') return drop(tally, '', '', record);
  const { kind, id, value } = record;
  if (typeof kind !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return drop(tally, '', '', 'unreadable');
  const taken = takenBy(reader, { kind, id: String(id), value });
  if (taken === 'accepted') count(tally.accepted, kind, 1);
  else if (taken === 'ignored') count(tally.ignored, kind, 1);
  else drop(tally, kind, String(id), taken);
}

function takenBy(reader: LoginReader, record: LoginRecord) {
  return record.kind.length > MAX_KIND ? 'unknown_kind' : reader.take(record);
}

function recordIn(line: string): Readonly<Record<string, unknown>> | Why {
  try {
    const record = parsed(line);
    return isRecord(record) && !Array.isArray(record) ? record : 'unreadable';
  } catch (cause) {
    return cause instanceof TooDeep ? 'too_deep' : 'unreadable';
  }
}

function count(counts: Map<string, number>, kind: string, by: number): void {
  if (counts.has(kind) || counts.size < MAX_KINDS) counts.set(kind, (counts.get(kind) ?? 0) + by);
}

function drop(tally: Tally, kind: string, id: string, why: Why): void {
  const { dropped } = tally;
  tally.droppedCount += 1;
  if (dropped.length < MAX_DROPPED) dropped.push({ kind: kind.slice(0, MAX_KIND), id: id.slice(0, MAX_ID), why });
}

const countsOf = (counts: ReadonlyMap<string, number>): Counts => Object.fromEntries([...counts].filter(([, number]) => number > 0));

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string | null, void, undefined> {
  let pieces: Buffer[] = [];
  let size = 0;
  const ended = (): string | null | undefined => {
    const isTooLong = size > MAX_LINE_BYTES;
    const line = isTooLong ? '' : Buffer.concat(pieces).toString('utf8').trim();
    pieces = [];
    size = 0;
    if (isTooLong) return null;
    return line === '' ? undefined : line;
  };
  const add = (piece: Buffer): void => {
    size += piece.length;
    if (size <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      add(bytes.subarray(from, at));
      from = at + 1;
      const line = ended();
      if (line !== undefined) yield line;
    }
    add(bytes.subarray(from));
  }
  const last = ended();
  if (last !== undefined) yield last;
}

const NEWLINE = 10;
