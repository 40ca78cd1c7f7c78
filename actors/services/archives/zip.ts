import { inflateRawSync } from 'node:zlib';
import { FILE_REASONS, Unreadable } from './unreadable.ts';

export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly packed: number;
  readonly at: number;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 65_535;
const MAX_UNPACKED = 200 * 1_048_576;
const MAX_RATIO = 100;
const MAX_ENTRIES = 10_000;

export function filesInZip(bytes: Buffer): readonly ZipEntry[] {
  const end = bytes.subarray(Math.max(0, bytes.length - END_BYTES - MAX_COMMENT)).lastIndexOf(signature(END));
  if (end < 0) throw new Unreadable(FILE_REASONS.broken);
  const at = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT) + end;
  try {
    return entries(bytes, bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16));
  } catch (cause) {
    throw cause instanceof Unreadable ? cause : new Unreadable(FILE_REASONS.broken, cause);
  }
}

export function unpacked(bytes: Buffer, { isDeflated, packed, at }: ZipEntry): Buffer {
  try {
    const from = at + LOCAL_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    const contents = bytes.subarray(from, from + packed);
    return isDeflated ? inflateRawSync(contents, { maxOutputLength: MAX_UNPACKED }) : contents;
  } catch (cause) {
    throw new Unreadable(FILE_REASONS.broken, cause);
  }
}

function entries(bytes: Buffer, count: number, start: number): readonly ZipEntry[] {
  if (count > MAX_ENTRIES) throw new Unreadable(FILE_REASONS.bomb);
  const files: ZipEntry[] = [];
  let size = 0;
  let at = start;
  for (let entry = 0; entry < count; entry += 1) {
    if (bytes.readUInt32LE(at) !== ENTRY) throw new Unreadable(FILE_REASONS.broken);
    size += bytes.readUInt32LE(at + 24);
    const length = bytes.readUInt16LE(at + 28);
    files.push({
      name: bytes.toString('utf8', at + 46, at + 46 + length),
      isDeflated: bytes.readUInt16LE(at + 10) !== 0,
      packed: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    });
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (size > MAX_UNPACKED || size > MAX_RATIO * bytes.length) throw new Unreadable(FILE_REASONS.bomb);
  return files;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
