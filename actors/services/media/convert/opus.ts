import { at } from '../../../../runtime/invariant.ts';

/** Frame durations of Opus (RFC 6716, section 3). */
const MS_OF_SILK = [10, 20, 40, 60];
const MS_OF_CELT = [2.5, 5, 10, 20];
const WIDEBAND_20_MS = 9;
const FRAMES_TOGETHER = 3;
const ONE_BYTE = 252;

function msOfFrame(config: number): number {
  if (config < 12) return at(MS_OF_SILK, config & 3);
  return config < 16 ? at([10, 20], config & 1) : at(MS_OF_CELT, config & 3);
}

function framesOf(packet: Buffer): number {
  const code = at(packet, 0) & 3;
  if (code < 2) return code + 1;
  return code === 2 ? 2 : (packet[1] ?? 0) & 63;
}

export const samplesOf = (packet: Buffer): number => msOfFrame(at(packet, 0) >> 3) * 48 * framesOf(packet);

/** Whether the packet has the form in which phones record: three mono frames in SILK wideband. */
export function isNative(packet: Buffer): boolean {
  const toc = at(packet, 0);
  return toc >> 3 === WIDEBAND_20_MS && (toc & 4) === 0 && (toc & 3) === 3 && framesOf(packet) === FRAMES_TOGETHER;
}

/** Joins frames into one packet with a single table of contents (RFC 6716, 3.2.5). */
function joined(frames: readonly Buffer[]): Buffer {
  const bodies = frames.map((frame) => frame.subarray(1));
  const isConstant = bodies.every(({ length }) => length === at(bodies, 0).length);
  const lengths = isConstant ? [] : bodies.slice(0, -1).flatMap(({ length }) => lengthBytes(length));
  const head = [(at(at(frames, 0), 0) & 0xfc) | 3, (isConstant ? 0 : 0x80) | frames.length, ...lengths];
  return Buffer.concat([Buffer.from(head), ...bodies]);
}

function lengthBytes(length: number): number[] {
  if (length < ONE_BYTE) return [length];
  const low = ONE_BYTE + ((length - ONE_BYTE) & 3);
  return [low, (length - low) >> 2];
}

export function grouped(frames: readonly Buffer[], silence: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let from = 0; from < frames.length; from += FRAMES_TOGETHER) {
    const group = frames.slice(from, from + FRAMES_TOGETHER);
    while (group.length < FRAMES_TOGETHER) group.push(silence);
    packets.push(joined(group));
  }
  return packets;
}
