import { Unconvertible } from './unconvertible.ts';

/**
 * Reads and writes WebP files by chunk (RFC 9649), including the sticker pack names stored in them.
 */

interface Chunk {
  readonly id: string;
  readonly data: Buffer;
}

interface WebpFacts {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly ms: number;
  readonly hasPack: boolean;
}

const MAX_CHUNKS = 5_000;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;
const HAS_ALPHA = 0x10;
const SAYING = HAS_EXIF | HAS_XMP | 0x20;
/** A TIFF header with a single entry (0x5741). The value of the entry follows. */
const EXIF_HEAD = Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 1, 0, 0x41, 0x57, 7, 0, 0, 0, 0, 0, 0x16, 0, 0, 0]);
const LENGTH_AT = 14;

function chunksOf(file: Buffer): Chunk[] {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') throw new Unconvertible('unreadable');
  const chunks: Chunk[] = [];
  for (let from = 12; from + 8 <= file.length; ) {
    const size = file.readUInt32LE(from + 4);
    if (from + 8 + size > file.length || chunks.length > MAX_CHUNKS) throw new Unconvertible('unreadable');
    chunks.push({ id: file.toString('latin1', from, from + 4), data: file.subarray(from + 8, from + 8 + size) });
    from += 8 + size + (size & 1);
  }
  return chunks;
}

export function webpFacts(file: Buffer): WebpFacts {
  const chunks = chunksOf(file);
  const frames = chunks.filter(({ id, data }) => id === 'ANMF' && data.length >= 16);
  return {
    ...sidesOf(chunks),
    frames: frames.length,
    ms: frames.reduce((sum, { data }) => sum + data.readUIntLE(12, 3), 0),
    hasPack: chunks.some(({ id, data }) => id === 'EXIF' && data.includes('sticker-pack-name')),
  };
}

function sidesOf(chunks: readonly Chunk[]): { readonly width: number; readonly height: number } {
  const of = (name: string, bytes: number): Buffer | undefined => chunks.find(({ id, data }) => id === name && data.length >= bytes)?.data;
  const [extended, lossless, lossy] = [of('VP8X', 10), of('VP8L', 5), of('VP8 ', 10)];
  if (extended) return { width: 1 + extended.readUIntLE(4, 3), height: 1 + extended.readUIntLE(7, 3) };
  if (lossless) {
    const bits = lossless.readUInt32LE(1);
    return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 };
  }
  if (!lossy) throw new Unconvertible('unreadable');
  return { width: lossy.readUInt16LE(6) & 0x3f_ff, height: lossy.readUInt16LE(8) & 0x3f_ff };
}

export function withText(file: Buffer, text: string): Buffer {
  const json = Buffer.from(text);
  const exif = Buffer.concat([EXIF_HEAD, json]);
  exif.writeUInt32LE(json.length, LENGTH_AT);
  const all = chunksOf(file);
  const [first, ...rest] = all.filter(({ id }) => !['EXIF', 'XMP ', 'ICCP'].includes(id));
  if (!first) throw new Unconvertible('unreadable');
  const picture = first.id === 'VP8X' ? rest : [first, ...rest];
  return written([{ id: 'VP8X', data: extendedHead(all, first) }, ...picture, { id: 'EXIF', data: exif }]);
}

export function strippedWebp(file: Buffer): Buffer {
  const kept = chunksOf(file).filter(({ id }) => id !== 'EXIF' && id !== 'XMP ');
  return written(kept.map(({ id, data }) => ({ id, data: id === 'VP8X' ? unsaid(data) : data })));
}

function unsaid(head: Buffer): Buffer {
  const flags = head[0] ?? 0;
  return Buffer.concat([Buffer.from([flags & ~(HAS_EXIF | HAS_XMP)]), head.subarray(1)]);
}

function extendedHead(chunks: readonly Chunk[], first: Chunk): Buffer {
  if (first.id === 'VP8X') {
    const head = Buffer.from(first.data);
    head.writeUInt8((head.readUInt8(0) & ~SAYING) | HAS_EXIF, 0);
    return head;
  }
  const { width, height } = sidesOf(chunks);
  const head = Buffer.alloc(10);
  head.writeUInt8(HAS_EXIF | (first.id === 'VP8L' ? HAS_ALPHA : 0), 0);
  head.writeUIntLE(width - 1, 4, 3);
  head.writeUIntLE(height - 1, 7, 3);
  return head;
}

function written(chunks: readonly Chunk[]): Buffer {
  const parts = chunks.map(({ id, data }) => {
    const head = Buffer.alloc(8);
    head.write(id, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
  });
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts]);
  const head = Buffer.alloc(8);
  head.write('RIFF');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
