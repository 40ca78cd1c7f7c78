import { REASONS, Unreadable } from './reading.ts';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const MAX_UNPACKED = 200 * 1_048_576;
const MAX_RATIO = 100;
const MAX_ENTRIES = 10_000;

/** The names in a zip file, as its directory tells them. Throws Unreadable where it is none, or unpacks to far more than it should. */
export function namesInZip(bytes: Buffer): readonly string[] {
  const end = bytes.subarray(Math.max(0, bytes.length - END_BYTES - MAX_COMMENT)).lastIndexOf(signature(END));
  if (end < 0) throw new Unreadable(REASONS.broken);
  const at = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT) + end;
  try {
    return entries(bytes, bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16));
  } catch (cause) {
    throw cause instanceof Unreadable ? cause : new Unreadable(REASONS.broken, cause);
  }
}

function entries(bytes: Buffer, count: number, start: number): readonly string[] {
  if (count > MAX_ENTRIES) throw new Unreadable(REASONS.bomb);
  const names: string[] = [];
  let unpacked = 0;
  let at = start;
  for (let entry = 0; entry < count; entry += 1) {
    if (bytes.readUInt32LE(at) !== ENTRY) throw new Unreadable(REASONS.broken);
    unpacked += bytes.readUInt32LE(at + 24);
    const name = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (unpacked > MAX_UNPACKED || unpacked > MAX_RATIO * bytes.length) throw new Unreadable(REASONS.bomb);
  return names;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
