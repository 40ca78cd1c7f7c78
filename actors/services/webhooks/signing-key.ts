import { hash } from 'node:crypto';
import type { SigningBuffer } from './signing-buffer.ts';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** HMACs (RFC 2104) from two one-shot hashes over cached blocks, at half the cost of Node's HMAC. */
export class SigningKey {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(secret: string | Buffer) {
    const bytes = Buffer.from(secret);
    const key = bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes;
    this.#inner = padded(key, 0x36);
    this.#outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(DIGEST_BYTES)]);
  }

  sign(prefix: string, signingBuffer: SigningBuffer): string {
    this.#outer.write(hash('sha256', signingBuffer.headed(this.#inner, prefix), 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', this.#outer, 'base64');
  }
}

function padded(key: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  key.copy(block);
  for (const [place, byte] of block.entries()) block[place] = byte ^ pad;
  return block;
}
