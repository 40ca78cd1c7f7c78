import type { Readable } from 'node:stream';
import { FairSlots } from '../../runtime/fair-slots.ts';

const READING = 48;
const READING_SHARE = 8;
const WORKING = 24;
const WORKING_SHARE = 6;
const MAX_WAITING = 64;

export const BUCKET_SOCKETS = READING + WORKING;

/** Sockets to a bucket, shared fairly between tenants. Rejects with `full()` at a tenant's limit. */
export class BucketSockets {
  readonly #reading: FairSlots;
  readonly #working: FairSlots;

  constructor(full: () => Error) {
    this.#reading = new FairSlots({ slots: READING, share: READING_SHARE, waiting: MAX_WAITING, full });
    this.#working = new FairSlots({ slots: WORKING, share: WORKING_SHARE, waiting: MAX_WAITING, full });
  }

  run<T>(tenantId: string, ask: () => Promise<T>): Promise<T> {
    return this.#working.run(tenantId, ask);
  }

  async open(tenantId: string, ask: () => Promise<Readable | null>): Promise<Readable | null> {
    const leave = await this.#reading.enter(tenantId);
    try {
      const stream = await ask();
      if (stream) stream.once('close', leave);
      else leave();
      return stream;
    } catch (cause) {
      leave();
      throw cause;
    }
  }
}
