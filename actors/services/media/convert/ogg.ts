import { at } from '../../../../runtime/invariant.ts';
import { samplesOf } from './opus.ts';
import { Unconvertible } from './unconvertible.ts';

/**
 * Reads and writes Ogg files with one Opus stream (RFC 3533, RFC 7845). When reading, lengths in
 * the file are not trusted. Pages with a wrong checksum are skipped, and so are empty packets,
 * which a decoder would treat as lost sound.
 */

export interface OpusStream {
  readonly channels: number;
  /** Samples at 48 kHz that a decoder discards at the start. */
  readonly preSkip: number;
  readonly packets: readonly Buffer[];
  /** Samples at 48 kHz after the pre-skip, according to the container. */
  readonly samples: number | null;
}

const PAGE_HEAD = 27;
const CRC_AT = 22;
const MAX_PACKETS = 1_000_000;
const HEAD = 'OpusHead';
const TAGS = 'OpusTags';
const PACKETS_A_PAGE = 17;
const MAX_LACES = 255;
const SERIAL = 0x47_41_54_45;
const VENDOR = 'gateway';

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x80_00_00_00 ? (rest << 1) ^ 0x04_c1_1d_b7 : rest << 1;
  return rest >>> 0;
});

function checksum(page: Buffer): number {
  let crc = 0;
  for (let index = 0; index < page.length; index += 1) {
    const byte = index >= CRC_AT && index < CRC_AT + 4 ? 0 : (page[index] ?? 0);
    crc = ((crc << 8) ^ (TABLE[((crc >>> 24) ^ byte) & 255] ?? 0)) >>> 0;
  }
  return crc;
}

interface Page {
  readonly serial: number;
  readonly granule: bigint;
  readonly isContinued: boolean;
  readonly parts: readonly Buffer[];
  readonly isOpen: boolean;
}

function* pagesOf(bytes: Buffer): Generator<Page> {
  let from = bytes.indexOf('OggS');
  while (from >= 0 && from + PAGE_HEAD <= bytes.length) {
    const laces = bytes.subarray(from + PAGE_HEAD, from + PAGE_HEAD + at(bytes, from + 26));
    const body = from + PAGE_HEAD + laces.length;
    const end = laces.reduce((sum, lace) => sum + lace, body);
    const isWhole = end <= bytes.length && checksum(bytes.subarray(from, end)) === bytes.readUInt32LE(from + CRC_AT);
    if (isWhole) yield pageAt(bytes, from, laces);
    from = bytes.indexOf('OggS', isWhole ? end : from + 4);
  }
}

function pageAt(bytes: Buffer, from: number, laces: Buffer): Page {
  const parts: Buffer[] = [];
  let [start, end] = [from + PAGE_HEAD + laces.length, from + PAGE_HEAD + laces.length];
  for (const lace of laces) {
    end += lace;
    if (lace === 255) continue;
    parts.push(bytes.subarray(start, end));
    start = end;
  }
  const isOpen = laces.length > 0 && laces.at(-1) === 255;
  if (isOpen) parts.push(bytes.subarray(start, end));
  return {
    serial: bytes.readUInt32LE(from + 14),
    granule: bytes.readBigInt64LE(from + 6),
    isContinued: (at(bytes, from + 5) & 1) !== 0,
    parts,
    isOpen,
  };
}

export function readOgg(bytes: Buffer): OpusStream {
  const stream = new Packets();
  for (const page of pagesOf(bytes)) stream.take(page);
  const { head, packets, granule } = stream;
  if (!head || head.length < 19) throw new Unconvertible(bytes.includes('OggS') && !bytes.includes(HEAD) ? 'needs_ffmpeg' : 'unreadable');
  const [tags, ...sound] = packets;
  const preSkip = head.readUInt16LE(10);
  return {
    channels: at(head, 9),
    preSkip,
    packets: tags?.toString('latin1', 0, TAGS.length) === TAGS ? sound : packets,
    samples: granule > BigInt(preSkip) ? Number(granule) - preSkip : null,
  };
}

class Packets {
  head: Buffer | null = null;
  readonly packets: Buffer[] = [];
  granule = -1n;
  #serial: number | null = null;
  #open: Buffer[] = [];

  take(page: Page): void {
    if (this.#serial === null) return this.#begin(page);
    if (page.serial !== this.#serial) return;
    if (page.granule > this.granule) this.granule = page.granule;
    if (!page.isContinued) this.#open = [];
    for (const [index, part] of page.parts.entries()) this.#add(part, page.isOpen && index === page.parts.length - 1);
    if (this.packets.length > MAX_PACKETS) throw new Unconvertible('too_long');
  }

  #begin({ parts: [first], serial }: Page): void {
    if (first?.toString('latin1', 0, HEAD.length) !== HEAD) return;
    this.#serial = serial;
    this.head = first;
  }

  #add(part: Buffer, goesOn: boolean): void {
    this.#open.push(part);
    if (goesOn) return;
    const whole = Buffer.concat(this.#open);
    this.#open = [];
    if (whole.length > 0) this.packets.push(whole);
  }
}

interface PageFields {
  readonly sequence: number;
  readonly granule: number;
  readonly flags: number;
}

const lacesOf = (packet: Buffer): number => Math.floor(packet.length / 255) + 1;

function pageOf(packets: readonly Buffer[], { sequence, granule, flags }: PageFields): Buffer {
  const laces = packets.flatMap((packet) => [...Array<number>(lacesOf(packet) - 1).fill(255), packet.length % 255]);
  const head = Buffer.alloc(PAGE_HEAD + laces.length);
  head.write('OggS');
  head.writeUInt8(flags, 5);
  head.writeBigInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(SERIAL, 14);
  head.writeUInt32LE(sequence, 18);
  head.writeUInt8(laces.length, 26);
  head.set(laces, PAGE_HEAD);
  const page = Buffer.concat([head, ...packets]);
  page.writeUInt32LE(checksum(page), CRC_AT);
  return page;
}

export function writeOgg(
  packets: readonly Buffer[],
  { preSkip, rate, samples }: { preSkip: number; rate: number; samples: number },
): Buffer {
  const head = Buffer.alloc(19);
  head.write(HEAD);
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(rate, 12);
  const tags = Buffer.alloc(16 + VENDOR.length);
  tags.write(TAGS);
  tags.writeUInt32LE(VENDOR.length, 8);
  tags.write(VENDOR, 12);
  const pages = [pageOf([head], { sequence: 0, granule: 0, flags: 2 }), pageOf([tags], { sequence: 1, granule: 0, flags: 0 })];
  let [group, laces, granule]: [Buffer[], number, number] = [[], 0, 0];
  packets.forEach((packet, index) => {
    group.push(packet);
    laces += lacesOf(packet);
    granule += samplesOf(packet);
    const next = packets[index + 1];
    if (next && group.length < PACKETS_A_PAGE && laces + lacesOf(next) <= MAX_LACES) return;
    pages.push(pageOf(group, { sequence: pages.length, granule: next ? granule : samples + preSkip, flags: next ? 0 : 4 }));
    [group, laces] = [[], 0];
  });
  return Buffer.concat(pages);
}
