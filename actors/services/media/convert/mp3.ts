/** Kilobits per second, by MPEG version and layer. `2/x` is for layers 2 and 3. */
const BITRATES: Readonly<Record<string, readonly number[]>> = {
  '1/3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '1/2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1/1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '2/1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2/x': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const RATES = [44_100, 48_000, 32_000];
const SEARCHED = 65_536;

interface Frame {
  readonly isFirstVersion: boolean;
  readonly isMono: boolean;
  readonly kbps: number;
  readonly rate: number;
  readonly samples: number;
}

export function secondsOfMp3(file: Buffer): number | null {
  const tags = file.toString('latin1', 0, 3) === 'ID3' && file.length >= 10 ? 10 + sizeOfTags(file) : 0;
  for (let from = tags; from + 4 <= Math.min(file.length, tags + SEARCHED); from += 1) {
    const frame = frameAt(file, from);
    if (frame) return lengthOf(file, from, frame);
  }
  return null;
}

const sizeOfTags = (file: Buffer): number => file.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 127), 0);

function frameAt(file: Buffer, from: number): Frame | null {
  const head = file.readUInt32BE(from);
  if (head >>> 21 !== 0x7_ff) return null;
  const [version, layer] = [(head >>> 19) & 3, 4 - ((head >>> 17) & 3)];
  const [bitrate, rateIndex] = [(head >>> 12) & 15, (head >>> 10) & 3];
  const rate = RATES[rateIndex];
  if (version === 1 || layer === 4 || bitrate === 0 || bitrate === 15 || rate === undefined) return null;
  const isFirstVersion = version === 3;
  const table = BITRATES[isFirstVersion ? `1/${layer}` : layer === 1 ? '2/1' : '2/x'];
  return {
    isFirstVersion,
    isMono: ((head >>> 6) & 3) === 3,
    kbps: table?.[bitrate - 1] ?? 0,
    rate: isFirstVersion ? rate : rate / (version === 2 ? 2 : 4),
    samples: layer === 1 ? 384 : layer === 3 && !isFirstVersion ? 576 : 1_152,
  };
}

function lengthOf(file: Buffer, from: number, { isFirstVersion, isMono, kbps, rate, samples }: Frame): number | null {
  const side = isFirstVersion ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  const xing = from + 4 + side;
  const mark = file.toString('latin1', xing, xing + 4);
  if ((mark === 'Xing' || mark === 'Info') && xing + 12 <= file.length && file.readUInt32BE(xing + 4) & 1)
    return (file.readUInt32BE(xing + 8) * samples) / rate;
  const vbri = from + 36;
  if (file.toString('latin1', vbri, vbri + 4) === 'VBRI' && vbri + 18 <= file.length)
    return (file.readUInt32BE(vbri + 14) * samples) / rate;
  return kbps > 0 ? ((file.length - from) * 8) / (kbps * 1_000) : null;
}
