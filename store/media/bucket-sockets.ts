import type { Readable } from 'node:stream';
import { FairSlots } from '../../runtime/fair-slots.ts';

/** Files that are read from a bucket at once: each holds a socket for as long as its reader likes. */
const READING = 48;
/** Of one tenant. */
const READING_SHARE = 8;
/** Everything else: as quick as the bucket is. */
const WORKING = 24;
const WORKING_SHARE = 6;
/** Of one tenant. */
const MAX_WAITING = 64;

/** So many sockets a client needs, so that none of its requests waits for one. */
export const BUCKET_SOCKETS = READING + WORKING;

/** The sockets to a bucket, shared by tenants: one that reads slowly, or writes much, leaves the others theirs. Rejects with `full()` where too much waits. */
export class BucketSockets {
  readonly #reading: FairSlots;
  readonly #working: FairSlots;

  constructor(full: () => Error) {
    this.#reading = new FairSlots({ slots: READING, share: READING_SHARE, waiting: MAX_WAITING, full });
    this.#working = new FairSlots({ slots: WORKING, share: WORKING_SHARE, waiting: MAX_WAITING, full });
  }

  /** For a request whose answer is read at once. */
  run<T>(tenantId: string, ask: () => Promise<T>): Promise<T> {
    return this.#working.run(tenantId, ask);
  }

  /** For a request whose answer is a stream: it has its socket until it closes. */
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
