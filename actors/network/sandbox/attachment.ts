import { Readable } from 'node:stream';
import { Refusal } from '../../../runtime/errors.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { ByteMeter } from '../../services/media/byte-meter.ts';
import type { FileReference } from '../port.ts';

export type Attachment = { readonly base64: string } | { readonly size: number; readonly seed: number };

const BLOCK_BYTES = 65_536;

export function* bytesOf(attachment: Attachment): Generator<Buffer, void, undefined> {
  if ('base64' in attachment) return yield Buffer.from(attachment.base64, 'base64');
  const random = seededRandom(attachment.seed);
  const block = Buffer.from(Array.from({ length: BLOCK_BYTES }, () => Math.floor(random() * 256)));
  for (let left = attachment.size; left > 0; left -= BLOCK_BYTES) yield block.subarray(0, left);
}

export function weigh(attachment: Attachment): { readonly size: number; readonly sha256: string } {
  const meter = new ByteMeter();
  for (const chunk of bytesOf(attachment)) meter.add(chunk);
  const { size, sha256 } = meter.measured();
  return { size, sha256 };
}

/** Returns the content of a file that a phone sent. Files that devices sent are not stored. */
export async function download(reference: FileReference): Promise<Readable> {
  const { base64, size, seed } = reference;
  if (typeof base64 === 'string') return Readable.from(bytesOf({ base64 }));
  if (typeof size === 'number' && typeof seed === 'number') return Readable.from(bytesOf({ size, seed }));
  throw new Refusal('NOT_FOUND');
}
