import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sound of `seconds`: a tone whose loudness is what `loud` says of each moment (0 to 1 of the whole). */
export function tone({ seconds, rate = 16_000, hz = 1_000, loud = () => 0.5 }: Tone): Float32Array {
  return Float32Array.from(
    { length: Math.round(seconds * rate) },
    (_, nth) => Math.sin((2 * Math.PI * hz * nth) / rate) * loud(nth / (seconds * rate)),
  );
}

export interface Tone {
  readonly seconds: number;
  readonly rate?: number;
  readonly hz?: number;
  readonly loud?: (moment: number) => number;
}

/** A WAV with that on each channel. */
export function wavOf(sound: Float32Array, rate = 16_000, { bits = 16, channels = 1, isFloat = false } = {}): Buffer {
  const bytes = bits / 8;
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + sound.length * bytes * channels, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(isFloat ? 3 : 1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * bytes * channels, 28);
  head.writeUInt16LE(bytes * channels, 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(sound.length * bytes * channels, 40);
  const body = Buffer.alloc(sound.length * bytes * channels);
  sound.forEach((value, nth) => {
    for (let channel = 0; channel < channels; channel += 1) {
      const at = (nth * channels + channel) * bytes;
      if (isFloat) body.writeFloatLE(value, at);
      else if (bits === 8) body.writeUInt8(Math.round(value * 127) + 128, at);
      else body.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bytes);
    }
  });
  return Buffer.concat([head, body]);
}

/** What a program makes of a file: what it writes to `out`, and what it says. `in` and `out` stand for their paths. */
export function judged(
  program: string,
  args: readonly string[],
  file: Buffer,
): { readonly out: Buffer; readonly said: string; readonly status: number | null } {
  const folder = mkdtempSync(join(tmpdir(), 'judge-'));
  try {
    const named: Readonly<Record<string, string>> = { in: join(folder, 'in'), out: join(folder, 'out') };
    writeFileSync(join(folder, 'in'), file);
    writeFileSync(join(folder, 'out'), '');
    const { stdout, stderr, status } = spawnSync(
      program,
      args.map((arg) => named[arg] ?? arg),
    );
    return { out: readFileSync(join(folder, 'out')), said: `${stdout}${stderr}`, status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The file as ffmpeg writes it in another form. */
export const byFfmpeg = (file: Buffer, ...args: readonly string[]): Buffer =>
  judged('ffmpeg', ['-v', 'error', '-y', '-i', 'in', ...args, 'out'], file).out;
