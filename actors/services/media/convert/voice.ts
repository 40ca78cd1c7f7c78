import OpusScript from 'opusscript';
import { secondsOfMp3 } from './mp3.ts';
import { readMp4 } from './mp4.ts';
import { type OpusStream, readOgg, writeOgg } from './ogg.ts';
import { grouped, isNative, samplesOf } from './opus.ts';
import { Resampler } from './resampler.ts';
import { Unconvertible } from './unconvertible.ts';
import { RATES, readWav } from './wav.ts';
import { readWebm } from './webm.ts';

/**
 * Converts voice notes to the only form that some phones play: Ogg with Opus at 16 kHz mono, SILK
 * wideband, three frames of 20 ms per packet. If a note already has this form, its bytes are kept.
 */

export interface VoiceNote {
  /** Null if the source's bytes can be used unchanged. */
  readonly bytes: Buffer | null;
  readonly seconds: number;
  /** 64 values from 0 to 100. */
  readonly waveform: readonly number[];
}

export const MAX_SECONDS = 3_600;
const RATE = 16_000;
const FRAME = 320;
const OPUS_RATE = 48_000;
const TIMES = OPUS_RATE / RATE;
/** Look-ahead of the encoder, in samples at 16 kHz. */
const LOOK_AHEAD = 104;
const BITRATE = 24_000;
/** The encoder's requests and their values (opus_defines.h, opus_private.h). */
const WIDEBAND = 1_103;
const SILK_ONLY = 1_000;
const CONTROLS = [
  [4_004, WIDEBAND],
  [4_008, WIDEBAND],
  [11_002, SILK_ONLY],
  [4_010, 9],
] as const;
const BARS = 64;
/** Samples at 16 kHz for each stored loudness value. */
const BLOCK = 16;
const MP3_FED = 65_536;
const MAX_MP3_ERRORS = 50;

export async function voiceNoteOf(file: Buffer, isPcm: boolean): Promise<VoiceNote> {
  const recorder = new Recorder(true);
  try {
    if (isPcm) {
      recorder.take(RATE, pcmPieces(file));
      return recorder.end();
    }
    const stream = opusOf(file);
    if (stream) {
      const isForm = file.toString('latin1', 0, 4) === 'OggS' && stream.channels === 1 && stream.packets.every(isNative);
      return isForm ? described(stream) : fromOpus(recorder, stream);
    }
    if (isWav(file)) {
      const { rate, seconds, pieces } = readWav(file);
      if (seconds > MAX_SECONDS) throw new Unconvertible('too_long');
      recorder.take(rate, pieces);
    } else if (isMp3(file)) await takeMp3(file, recorder);
    else throw new Unconvertible(NEEDS_FFMPEG.test(file.toString('latin1', 0, 12)) || isAdts(file) ? 'needs_ffmpeg' : 'unreadable');
    return recorder.end();
  } finally {
    recorder.free();
  }
}

const NEEDS_FFMPEG = /^(#!AMR|fLaC|0&²u|FORM|caff)/;
const isWav = (file: Buffer): boolean => file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WAVE';
const isAdts = (file: Buffer): boolean => file[0] === 0xff && ((file[1] ?? 0) & 0xf6) === 0xf0;
export const isMp3 = (file: Buffer): boolean =>
  file.toString('latin1', 0, 3) === 'ID3' || (file[0] === 0xff && ((file[1] ?? 0) & 0xe0) === 0xe0 && ((file[1] ?? 0) & 0x06) !== 0);

function opusOf(file: Buffer): OpusStream | null {
  if (file.toString('latin1', 0, 4) === 'OggS') return withPackets(readOgg(file));
  const isWebm = file.readUInt32BE(0) === 0x1a_45_df_a3;
  if (!isWebm && file.toString('latin1', 4, 8) !== 'ftyp') return null;
  const { packets, preSkip, audio } = isWebm ? readWebm(file) : readMp4(file);
  if (packets.length === 0) throw new Unconvertible(audio === null || /opus/i.test(audio) ? 'unreadable' : 'needs_ffmpeg');
  return { channels: 0, preSkip, packets, samples: null };
}

function withPackets(stream: OpusStream): OpusStream {
  if (stream.packets.length === 0) throw new Unconvertible('unreadable');
  return stream;
}

function described(stream: OpusStream): VoiceNote {
  const recorder = new Recorder(false);
  try {
    return { ...fromOpus(recorder, stream), bytes: null };
  } finally {
    recorder.free();
  }
}

function fromOpus(recorder: Recorder, { packets, preSkip, samples }: OpusStream): VoiceNote {
  const all = samples ?? packets.reduce((sum, packet) => sum + samplesOf(packet), 0) - preSkip;
  if (all / OPUS_RATE > MAX_SECONDS) throw new Unconvertible('too_long');
  const decoder = new OpusScript(RATE, 1, OpusScript.Application.VOIP);
  try {
    recorder.take(RATE, cut(decoded(decoder, packets), Math.floor(preSkip / TIMES), Math.ceil(all / TIMES)));
  } finally {
    decoder.delete();
  }
  return recorder.end();
}

function* decoded(decoder: OpusScript, packets: readonly Buffer[]): Generator<Float32Array> {
  let bad = 0;
  for (const packet of packets) {
    const pcm = decodedPacket(decoder, packet);
    if (!pcm) bad += 1;
    if (bad * 2 > packets.length) throw new Unconvertible('unreadable');
    yield pcm ?? new Float32Array(Math.min(samplesOf(packet), OPUS_RATE) / TIMES);
  }
}

function decodedPacket(decoder: OpusScript, packet: Buffer): Float32Array | null {
  try {
    return floats(decoder.decode(packet));
  } catch {
    return null;
  }
}

function floats(pcm: Buffer): Float32Array {
  const piece = new Float32Array(pcm.length >> 1);
  for (let index = 0; index < piece.length; index += 1) piece[index] = pcm.readInt16LE(index * 2) / 32_768;
  return piece;
}

function* pcmPieces(pcm: Buffer): Generator<Float32Array> {
  for (let from = 0; from < pcm.length; from += MP3_FED) yield floats(pcm.subarray(from, from + MP3_FED));
}

function* cut(pieces: Iterable<Float32Array>, skipped: number, most: number): Generator<Float32Array> {
  let at = -skipped;
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, -at), Math.max(0, most - at));
    at += piece.length;
    if (part.length > 0) yield part;
    if (at >= most) return;
  }
}

async function takeMp3(file: Buffer, recorder: Recorder): Promise<void> {
  if ((secondsOfMp3(file) ?? 0) > MAX_SECONDS) throw new Unconvertible('too_long');
  const { MPEGDecoder } = await import('mpg123-decoder');
  // Silence the decoder, which would otherwise log every bad frame.
  console.error = console.warn = console.log = () => {};
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    let errors = 0;
    for (let from = 0; from < file.length; from += MP3_FED) {
      const { channelData, sampleRate, samplesDecoded, errors: some } = decoder.decode(file.subarray(from, from + MP3_FED));
      errors += some.length;
      if (errors > MAX_MP3_ERRORS && recorder.seconds < 1) throw new Unconvertible('unreadable');
      if (samplesDecoded > 0) recorder.take(sampleRate, [mono(channelData)]);
    }
  } finally {
    decoder.free();
  }
}

function mono(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0), ...others] = channels;
  if (others.length === 0) return first;
  return first.map((sample, index) => others.reduce((sum, channel) => sum + (channel[index] ?? 0), sample) / channels.length);
}

class Recorder {
  readonly #encoder: OpusScript | null;
  #resampler: { readonly from: number; readonly to16k: Resampler } | null = null;
  readonly #frames: Buffer[] = [];
  readonly #frame = new Int16Array(FRAME);
  #filled = 0;
  #samples = 0;
  readonly #loudness: number[] = [];

  constructor(encodes: boolean) {
    this.#encoder = encodes ? new OpusScript(RATE, 1, OpusScript.Application.VOIP) : null;
    this.#encoder?.setBitrate(BITRATE);
    for (const [control, value] of CONTROLS) this.#encoder?.encoderCTL(control, value);
  }

  get seconds(): number {
    return this.#samples / RATE;
  }

  take(rate: number, pieces: Iterable<Float32Array>): void {
    if (rate < RATES.least || rate > RATES.most) throw new Unconvertible('unreadable');
    if (this.#resampler?.from !== rate) {
      this.#add(this.#resampler?.to16k.end() ?? new Float32Array(0));
      this.#resampler = { from: rate, to16k: new Resampler(rate, RATE) };
    }
    for (const piece of pieces) this.#add(this.#resampler.to16k.push(piece));
  }

  end(): VoiceNote {
    this.#add(this.#resampler?.to16k.end() ?? new Float32Array(0));
    const samples = this.#samples;
    if (samples === 0) throw new Unconvertible('unreadable');
    const note = { seconds: Math.max(1, Math.round(samples / RATE)), waveform: this.#waveform() };
    if (!this.#encoder) return { ...note, bytes: null };
    for (let left = LOOK_AHEAD; left > 0 || this.#filled > 0; left -= 1) this.#encode(0);
    const silence = this.#encoder.encode(Buffer.alloc(FRAME * 2), FRAME);
    const packets = grouped(this.#frames, silence);
    return { ...note, bytes: writeOgg(packets, { preSkip: LOOK_AHEAD * TIMES, rate: RATE, samples: samples * TIMES }) };
  }

  free(): void {
    this.#encoder?.delete();
  }

  #add(piece: Float32Array): void {
    for (const sample of piece) {
      const value = Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0;
      const block = Math.floor(this.#samples / BLOCK);
      this.#loudness[block] = (this.#loudness[block] ?? 0) + Math.abs(value);
      this.#samples += 1;
      if (this.#encoder) this.#encode(Math.round(value * 32_767));
    }
    if (this.seconds > MAX_SECONDS) throw new Unconvertible('too_long');
  }

  #encode(sample: number): void {
    this.#frame[this.#filled] = sample;
    this.#filled += 1;
    if (this.#filled < FRAME || !this.#encoder) return;
    const { buffer, byteOffset, byteLength } = this.#frame;
    this.#frames.push(this.#encoder.encode(Buffer.from(buffer, byteOffset, byteLength), FRAME));
    this.#filled = 0;
  }

  /** Returns the loudness of each part, relative to the loudest one. */
  #waveform(): number[] {
    const blocks = this.#loudness.length;
    const bars = Array.from({ length: BARS }, (_, bar) => {
      const from = Math.floor((bar * blocks) / BARS);
      const until = Math.max(from + 1, Math.floor(((bar + 1) * blocks) / BARS));
      const part = this.#loudness.slice(from, until);
      return part.reduce((sum, value) => sum + value, 0) / part.length;
    });
    const loudest = Math.max(...bars);
    return bars.map((bar) => (loudest > 0 ? Math.floor((100 * bar) / loudest) : 0));
  }
}

export const secondsOf = ({ packets, preSkip, samples }: OpusStream): number =>
  (samples ?? packets.reduce((sum, packet) => sum + samplesOf(packet), 0) - preSkip) / OPUS_RATE;
