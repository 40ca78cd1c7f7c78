import { at } from '../../../../runtime/invariant.ts';
import { Unconvertible } from './unconvertible.ts';

/**
 * Reads the properties and Opus packets of MP4, QuickTime and M4A files, plain or fragmented. Width
 * and height are those of the displayed video, so they are swapped if the video is rotated. Every
 * length is checked against the actual bytes.
 */

export interface Mp4Facts {
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  /** The video codec, with the number of an H.264 profile that phones do not play: `avc1.244`. */
  readonly video: string | null;
  readonly audio: string | null;
  readonly isFastStart: boolean;
  readonly packets: readonly Buffer[];
  readonly preSkip: number;
}

interface Box {
  readonly type: string;
  readonly data: Buffer;
  readonly start: number;
}

interface Track {
  id: number;
  kind: string;
  codec: string;
  scale: number;
  duration: number;
  fragmentsEnd: number;
  width: number;
  height: number;
  isTurned: boolean;
  preSkip: number;
  samples: number;
  /** The size of every sample; 0 if `sizes` lists a size for each one. */
  sameSize: number;
  sizes: number[];
  chunks: number[];
  runs: { readonly firstChunk: number; readonly samples: number }[];
  packets: Buffer[];
  packetBytes: number;
}

const MAX_BOXES = 20_000;
const MAX_SAMPLES = 1_000_000;
const NEVER_ENDS = 0xff_ff_ff_ff;

class Reader {
  #left = MAX_BOXES;

  /** Yields the boxes in `bytes` from offset `base` of the file. Ends at a truncated box. */
  *boxes(bytes: Buffer, base = 0, from = 0): Generator<Box> {
    let start = from;
    while (start + 8 <= bytes.length) {
      this.#left -= 1;
      if (this.#left < 0) throw new Unconvertible('unreadable');
      const short = bytes.readUInt32BE(start);
      const isLong = short === 1 && start + 16 <= bytes.length;
      const size = isLong ? Number(bytes.readBigUInt64BE(start + 8)) : short || bytes.length - start;
      const head = isLong ? 16 : 8;
      if (size < head) return;
      const data = bytes.subarray(start + head, Math.min(bytes.length, start + size));
      yield { type: bytes.toString('latin1', start + 4, start + 8), data, start: base + start };
      start += size;
    }
  }
}

const u32 = (data: Buffer, from: number): number => (from + 4 <= data.length ? data.readUInt32BE(from) : 0);
const u64 = (data: Buffer, from: number): number => (from + 8 <= data.length ? Number(data.readBigUInt64BE(from)) : 0);
const versionOf = (data: Buffer): number => data[0] ?? 0;
const flagsOf = (data: Buffer): number => u32(data, 0) & 0xff_ff_ff;
const textAt = (data: Buffer, from: number): string => data.toString('latin1', from, from + 4);

export function readMp4(file: Buffer): Mp4Facts {
  const reader = new Reader();
  const tracks: Track[] = [];
  const defaults = new Map<number, SampleFields>();
  let [movieSeconds, hasData, isFastStart]: [number | null, boolean, boolean] = [null, false, false];
  for (const { type, data, start } of reader.boxes(file)) {
    if (type === 'mdat') hasData = true;
    if (type === 'moov') {
      isFastStart = !hasData;
      movieSeconds = movie(reader, data, tracks, defaults);
    }
    if (type === 'moof') fragment(reader, file, { data, start }, tracks, defaults);
  }
  const opus = tracks.find(({ codec }) => codec === 'Opus');
  if (opus && opus.packets.length === 0) addPackets(file, opus);
  return { ...shownFacts(tracks, movieSeconds), isFastStart, packets: opus?.packets ?? [], preSkip: opus?.preSkip ?? 0 };
}

function shownFacts(tracks: readonly Track[], movieSeconds: number | null) {
  const of = (kind: string): Track | undefined => tracks.find((track) => track.kind === kind);
  const [video, audio] = [of('vide'), of('soun')];
  const ofTracks = tracks.map(({ scale, duration, fragmentsEnd }) => (scale > 0 ? Math.max(duration, fragmentsEnd) / scale : 0));
  const ofFragments = tracks.map(({ scale, fragmentsEnd }) => (scale > 0 ? fragmentsEnd / scale : 0));
  const longest = Math.max(0, ...(movieSeconds === null ? ofTracks : ofFragments));
  const seconds = Math.max(movieSeconds ?? 0, longest) || null;
  const [width, height] = video?.isTurned ? [video.height, video.width] : [video?.width, video?.height];
  return { seconds, width: width || null, height: height || null, video: video?.codec ?? null, audio: audio?.codec ?? null };
}

function movie(reader: Reader, moov: Buffer, tracks: Track[], defaults: Map<number, SampleFields>): number | null {
  let seconds: number | null = null;
  for (const { type, data } of reader.boxes(moov)) {
    if (type === 'mvhd') seconds = secondsIn(data);
    if (type === 'trak') tracks.push(trackOf(reader, data));
    if (type === 'mvex') for (const box of reader.boxes(data)) if (box.type === 'trex') addDefaults(box.data, defaults);
  }
  return seconds;
}

function secondsIn(mvhd: Buffer): number | null {
  const isLong = versionOf(mvhd) === 1;
  const [scale, duration] = [u32(mvhd, isLong ? 20 : 12), isLong ? u64(mvhd, 24) : u32(mvhd, 16)];
  return scale > 0 && duration > 0 && duration !== NEVER_ENDS ? duration / scale : null;
}

const addDefaults = (trex: Buffer, defaults: Map<number, SampleFields>): unknown =>
  defaults.set(u32(trex, 4), { duration: u32(trex, 12), size: u32(trex, 16) });

function trackOf(reader: Reader, trak: Buffer): Track {
  const track: Track = {
    ...{ id: 0, kind: '', codec: '', scale: 0, duration: 0, fragmentsEnd: 0, width: 0, height: 0, isTurned: false, preSkip: 0 },
    ...{ samples: 0, sameSize: 0, sizes: [], chunks: [], runs: [], packets: [], packetBytes: 0 },
  };
  for (const { type, data } of reader.boxes(trak)) {
    if (type === 'tkhd') header(track, data);
    if (type === 'mdia') for (const box of reader.boxes(data)) media(reader, track, box);
  }
  return track;
}

function header(track: Track, data: Buffer): void {
  const isLong = versionOf(data) === 1;
  track.id = u32(data, isLong ? 20 : 12);
  const sides = isLong ? 88 : 76;
  track.width = u32(data, sides) >>> 16;
  track.height = u32(data, sides + 4) >>> 16;
  // If the matrix starts with 0 and its second value is not 0, the video is turned by 90 degrees.
  track.isTurned = u32(data, sides - 36) === 0 && u32(data, sides - 32) !== 0;
}

function media(reader: Reader, track: Track, { type, data }: Box): void {
  if (type === 'mdhd') {
    const isLong = versionOf(data) === 1;
    track.scale = u32(data, isLong ? 20 : 12);
    const duration = isLong ? u64(data, 24) : u32(data, 16);
    track.duration = duration === NEVER_ENDS ? 0 : duration;
  }
  if (type === 'hdlr') track.kind = textAt(data, 8);
  if (type !== 'minf') return;
  for (const inside of reader.boxes(data))
    if (inside.type === 'stbl') for (const table of reader.boxes(inside.data)) tableOf(reader, track, table);
}

function tableOf(reader: Reader, track: Track, { type, data }: Box): void {
  if (type === 'stsd') description(reader, track, data);
  if (type === 'stsz') {
    const samples = Math.min(u32(data, 8), MAX_SAMPLES);
    track.sameSize = u32(data, 4);
    track.sizes = track.sameSize > 0 ? [] : rowsOf(data, 12, samples, 4, (from) => u32(data, from));
    track.samples = track.sameSize > 0 ? samples : track.sizes.length;
  }
  const count = Math.min(u32(data, 4), MAX_SAMPLES);
  if (type === 'stco') track.chunks = rowsOf(data, 8, count, 4, (from) => u32(data, from));
  if (type === 'co64') track.chunks = rowsOf(data, 8, count, 8, (from) => u64(data, from));
  if (type === 'stsc') track.runs = rowsOf(data, 8, count, 12, (from) => ({ firstChunk: u32(data, from), samples: u32(data, from + 4) }));
}

function rowsOf<T>(data: Buffer, head: number, count: number, bytes: number, rowAt: (from: number) => T): T[] {
  const length = Math.max(0, Math.min(count, Math.floor((data.length - head) / bytes)));
  return Array.from({ length }, (_, nth) => rowAt(head + nth * bytes));
}

function description(reader: Reader, track: Track, data: Buffer): void {
  track.codec = textAt(data, 12);
  if (track.codec === 'avc1') for (const box of reader.boxes(data, 0, 94)) if (box.type === 'avcC') track.codec = h264Of(box.data[1] ?? 0);
  if (track.codec !== 'Opus') return;
  for (const box of reader.boxes(data, 0, 44)) if (box.type === 'dOps' && box.data.length >= 4) track.preSkip = box.data.readUInt16BE(2);
}

/** Baseline, Main and High. Phones play no profiles with 10 bits or other chroma formats. */
const PLAYED = new Set([66, 77, 88, 100]);

const h264Of = (profile: number): string => (PLAYED.has(profile) ? 'avc1' : `avc1.${profile}`);

function addPackets(file: Buffer, track: Track): void {
  const { samples, sameSize, sizes, chunks, runs } = track;
  let [run, sample] = [0, 0];
  chunks.forEach((offset, index) => {
    while ((runs[run + 1]?.firstChunk ?? Number.POSITIVE_INFINITY) <= index + 1) run += 1;
    let from = offset;
    for (let nth = 0; nth < (runs[run]?.samples ?? 0) && sample < samples; nth += 1, sample += 1) {
      const size = sameSize || at(sizes, sample);
      addPacket(file, track, from, size);
      from += size;
    }
  });
}

/** The packets together must not be larger than the file. They could be if packets overlap. */
function addPacket(file: Buffer, track: Track, from: number, size: number): void {
  if (from < 0 || from >= file.length || size === 0 || track.packets.length >= MAX_SAMPLES) return;
  const packet = file.subarray(from, from + size);
  if (track.packetBytes + packet.length > file.length) return;
  track.packetBytes += packet.length;
  track.packets.push(packet);
}

type Defaults = ReadonlyMap<number, SampleFields>;

interface SampleFields {
  readonly duration: number;
  readonly size: number;
}

function fragment(
  reader: Reader,
  file: Buffer,
  { data: moof, start }: Pick<Box, 'data' | 'start'>,
  tracks: readonly Track[],
  defaults: Defaults,
): void {
  for (const traf of reader.boxes(moof)) {
    if (traf.type !== 'traf') continue;
    let head: FragmentHead | null = null;
    let time: number | null = null;
    for (const { type, data } of reader.boxes(traf.data)) {
      if (type === 'tfhd') head = headOf(data, start, tracks, defaults);
      if (type === 'tfdt') time = versionOf(data) === 1 ? u64(data, 4) : u32(data, 4);
      if (type === 'trun' && head?.track) time = run(file, head.track, data, { ...head, time: time ?? head.track.fragmentsEnd });
    }
  }
}

interface FragmentHead {
  readonly track: Track | undefined;
  readonly base: number;
  readonly sample: SampleFields;
}

function headOf(data: Buffer, start: number, tracks: readonly Track[], defaults: Defaults): FragmentHead {
  const [flags, id] = [flagsOf(data), u32(data, 4)];
  let from = 8;
  const next = (flag: number, bytes: number): number | null => {
    if ((flags & flag) === 0) return null;
    from += bytes;
    return from - bytes;
  };
  const [baseAt, _description, durationAt, sizeAt] = [next(1, 8), next(2, 4), next(8, 4), next(16, 4)];
  const { duration = 0, size = 0 } = defaults.get(id) ?? {};
  return {
    track: tracks.find((one) => one.id === id),
    base: baseAt === null ? start : u64(data, baseAt),
    sample: { duration: durationAt === null ? duration : u32(data, durationAt), size: sizeAt === null ? size : u32(data, sizeAt) },
  };
}

interface RunFields {
  readonly base: number;
  readonly sample: SampleFields;
  readonly time: number;
}

function run(file: Buffer, track: Track, data: Buffer, { base, sample, time }: RunFields): number {
  const flags = flagsOf(data);
  const count = Math.min(u32(data, 4), MAX_SAMPLES);
  let from = 8;
  let offset = base;
  if (flags & 1) {
    offset += from + 4 <= data.length ? data.readInt32BE(from) : 0;
    from += 4;
  }
  if (flags & 4) from += 4;
  const step = [0x1_00, 0x2_00, 0x4_00, 0x8_00].filter((flag) => flags & flag).length * 4;
  const rows = step === 0 ? count : Math.min(count, Math.floor((data.length - from) / step));
  const isOpus = track.codec === 'Opus';
  let end = time;
  for (let nth = 0; nth < rows; nth += 1, from += step) {
    const duration = flags & 0x1_00 ? u32(data, from) : sample.duration;
    const size = flags & 0x2_00 ? u32(data, from + (flags & 0x1_00 ? 4 : 0)) : sample.size;
    end += duration;
    if (isOpus) addPacket(file, track, offset, size);
    offset += size;
  }
  track.fragmentsEnd = Math.max(track.fragmentsEnd, end);
  return end;
}
