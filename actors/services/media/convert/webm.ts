import { at } from '../../../../runtime/invariant.ts';
import { Unconvertible } from './unconvertible.ts';

/**
 * Reads WebM and Matroska files (EBML). Nesting is ignored: the reader enters master elements and
 * skips over other elements. Browsers write master elements without a known size; these need no
 * special handling.
 */

export interface WebmFacts {
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly video: string | null;
  readonly audio: string | null;
  readonly packets: readonly Buffer[];
  readonly preSkip: number;
}

const MAX_ELEMENTS = 2_000_000;
const CLUSTER = 0x1f_43_b6_75;
const TRACK = 0xae;
/** Ids of segment, cluster, block group, information, tracks, track and video. */
const MASTERS: ReadonlySet<number> = new Set([0x18_53_80_67, CLUSTER, 0xa0, 0x15_49_a9_66, 0x16_54_ae_6b, TRACK, 0xe0]);
const TIMESTAMP_SCALE = 0x2a_d7_b1;
const DURATION = 0x44_89;
const CLUSTER_TIME = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
const LACED = 0x06;

interface Track {
  number: number;
  kind: number;
  codec: string;
  head: Buffer | null;
  width: number;
  height: number;
}

interface Element {
  readonly id: number;
  readonly data: Buffer;
  readonly isCut: boolean;
}

class Elements {
  readonly #bytes: Buffer;
  #at = 0;
  #left = MAX_ELEMENTS;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(): Element | null {
    this.#left -= 1;
    if (this.#left < 0) throw new Unconvertible('unreadable');
    const id = this.#number(true);
    const size = id === null ? null : this.#number(false);
    if (id === null || size === null) return null;
    if (MASTERS.has(id)) return { id, data: Buffer.alloc(0), isCut: false };
    if (!Number.isFinite(size)) return null;
    const data = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += size;
    return { id, data, isCut: data.length < size };
  }

  #number(keepsMark: boolean): number | null {
    const first = this.#bytes[this.#at];
    if (!first) return null;
    const length = Math.clz32(first) - 23;
    if (this.#at + length > this.#bytes.length) return null;
    const mark = 1 << (8 - length);
    let value = keepsMark ? first : first & (mark - 1);
    let isUnknown = !keepsMark && value === mark - 1;
    for (let index = 1; index < length; index += 1) {
      const byte = at(this.#bytes, this.#at + index);
      value = value * 256 + byte;
      if (byte !== 255) isUnknown = false;
    }
    this.#at += length;
    return isUnknown ? Number.POSITIVE_INFINITY : value;
  }
}

const wholeNumber = (data: Buffer): number => (data.length >= 1 && data.length <= 6 ? data.readUIntBE(0, data.length) : 0);

function realNumber(data: Buffer): number {
  if (data.length === 4) return data.readFloatBE(0);
  return data.length === 8 ? data.readDoubleBE(0) : 0;
}

export function readWebm(bytes: Buffer): WebmFacts {
  const elements = new Elements(bytes);
  const film = new Film();
  for (let element = elements.next(); element !== null; element = elements.next()) if (!film.take(element)) break;
  return film.facts();
}

class Film {
  readonly #tracks: Track[] = [];
  readonly #packets: Buffer[] = [];
  /** Nanoseconds per time unit. */
  #scale = 1_000_000;
  #duration = 0;
  #clusterTime = 0;
  #lastTime = 0;
  #sound = -1;

  take({ id, data, isCut }: Element): boolean {
    if (id === SIMPLE_BLOCK || id === BLOCK) return this.#block(data, isCut);
    if (id === TRACK) this.#tracks.push({ number: 0, kind: 0, codec: '', head: null, width: 0, height: 0 });
    else if (id === TIMESTAMP_SCALE) this.#scale = wholeNumber(data) || this.#scale;
    else if (id === DURATION) this.#duration = realNumber(data);
    else if (id === CLUSTER_TIME) this.#clusterTime = wholeNumber(data);
    else if (this.#tracks.length > 0) describe(at(this.#tracks, -1), id, data);
    return true;
  }

  facts(): WebmFacts {
    const of = (kind: number): Track | undefined => this.#tracks.find((track) => track.kind === kind);
    const [video, head] = [of(1), this.#opus()?.head];
    const units = this.#duration > 0 ? this.#duration : this.#lastTime;
    return {
      seconds: units > 0 ? (units * this.#scale) / 1e9 : null,
      width: video?.width || null,
      height: video?.height || null,
      video: video?.codec ?? null,
      audio: of(2)?.codec ?? null,
      packets: this.#packets,
      preSkip: head && head.length >= 12 ? head.readUInt16LE(10) : 0,
    };
  }

  #block(data: Buffer, isCut: boolean): boolean {
    if (isCut || data.length < 4) return false;
    this.#lastTime = Math.max(this.#lastTime, this.#clusterTime + data.readInt16BE(1));
    if (this.#sound < 0) this.#sound = this.#opus()?.number ?? -1;
    if ((at(data, 0) & 0x7f) !== this.#sound) return true;
    if (at(data, 3) & LACED) throw new Unconvertible('needs_ffmpeg');
    if (data.length > 4) this.#packets.push(data.subarray(4));
    return true;
  }

  #opus(): Track | undefined {
    return this.#tracks.find(({ codec }) => codec === 'A_OPUS');
  }
}

function describe(track: Track, id: number, data: Buffer): void {
  if (id === 0xd7) track.number = wholeNumber(data);
  else if (id === 0x83) track.kind = wholeNumber(data);
  else if (id === 0x86) track.codec = data.toString('latin1', 0, 64).replace(/\0.*/s, '');
  else if (id === 0x63_a2) track.head = data;
  else if (id === 0xb0) track.width = wholeNumber(data);
  else if (id === 0xba) track.height = wholeNumber(data);
}
