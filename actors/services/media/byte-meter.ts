import { createHash } from 'node:crypto';
import { refusal, tooLarge } from '../../domain/refusals.ts';
import { HEAD_BYTES } from './types.ts';

export interface Measured {
  readonly size: number;
  readonly sha256: string;
  readonly head: Buffer;
}

export class ByteMeter {
  readonly #maxBytes: number;
  readonly #hash = createHash('sha256');
  readonly #head: Uint8Array[] = [];
  readonly #room: number;
  #headSize = 0;
  #size = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY, room = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
    this.#room = room;
  }

  /** Fails with PAYLOAD_TOO_LARGE or LIMIT_REACHED beyond the limit, even if a smaller size was declared. */
  async *through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      this.add(chunk);
      yield chunk;
    }
  }

  add(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    if (this.#size > this.#room) throw refusal('LIMIT_REACHED', { reason: NO_ROOM });
    this.#hash.update(chunk);
    if (this.#headSize < HEAD_BYTES) this.#keep(chunk.subarray(0, HEAD_BYTES - this.#headSize));
  }

  measured(): Measured {
    return { size: this.#size, sha256: this.#hash.digest('hex'), head: Buffer.concat(this.#head) };
  }

  /** Copies the bytes, because a subarray would keep the whole chunk in memory. */
  #keep(start: Uint8Array): void {
    this.#head.push(Uint8Array.from(start));
    this.#headSize += start.length;
  }
}

const NO_ROOM = {
  en: 'the plan has no storage left for this file: delete some files first',
  id: 'penyimpanan paket tidak cukup untuk berkas ini: hapus beberapa berkas dahulu',
};
