import { Unconvertible } from './unconvertible.ts';

interface Format {
  readonly isFloat: boolean;
  readonly channels: number;
  readonly rate: number;
  readonly bytes: number;
}

export interface Pcm {
  readonly rate: number;
  readonly seconds: number;
  /** Mono samples from -1 to 1. */
  readonly pieces: Iterable<Float32Array>;
}

const WHOLE = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xff_fe;
const FRAMES_A_PIECE = 16_384;
const MAX_CHANNELS = 32;
export const RATES = { least: 4_000, most: 384_000 };

export function readWav(file: Buffer): Pcm {
  let format: Format | null = null;
  for (let from = 12; from + 8 <= file.length; ) {
    const id = file.toString('latin1', from, from + 4);
    const size = file.readUInt32LE(from + 4);
    const body = file.subarray(from + 8, from + 8 + size);
    if (id === 'fmt ') format = formatOf(body);
    if (id === 'data' && format) {
      const { rate, bytes, channels } = format;
      return { rate, seconds: body.length / (bytes * channels * rate), pieces: piecesOf(body, format) };
    }
    from += 8 + size + (size & 1);
  }
  throw new Unconvertible('unreadable');
}

function formatOf(chunk: Buffer): Format {
  if (chunk.length < 16) throw new Unconvertible('unreadable');
  const tag = chunk.readUInt16LE(0);
  const kind = tag === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag;
  const [channels, rate, bits] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
  if (kind !== WHOLE && kind !== FLOAT) throw new Unconvertible('needs_ffmpeg');
  const isKnown = kind === FLOAT ? bits === 32 || bits === 64 : bits % 8 === 0 && bits >= 8 && bits <= 32;
  const isSane = channels >= 1 && channels <= MAX_CHANNELS && rate >= RATES.least && rate <= RATES.most;
  if (!isKnown || !isSane) throw new Unconvertible('unreadable');
  return { isFloat: kind === FLOAT, channels, rate, bytes: bits / 8 };
}

function* piecesOf(data: Buffer, { isFloat, channels, bytes }: Format): Generator<Float32Array> {
  const step = bytes * channels;
  const frames = Math.floor(data.length / step);
  const scale = 2 ** (bytes * 8 - 1);
  const sampleAt = (from: number): number => {
    if (isFloat) return bytes === 4 ? data.readFloatLE(from) : data.readDoubleLE(from);
    return bytes === 1 ? (data.readUInt8(from) - 128) / 128 : data.readIntLE(from, bytes) / scale;
  };
  for (let first = 0; first < frames; first += FRAMES_A_PIECE) {
    const piece = new Float32Array(Math.min(FRAMES_A_PIECE, frames - first));
    for (let index = 0; index < piece.length; index += 1) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel += 1) sum += sampleAt((first + index) * step + channel * bytes);
      piece[index] = sum / channels;
    }
    yield piece;
  }
}
