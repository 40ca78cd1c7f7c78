import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal } from '../../domain/refusals.ts';

/** Files that callers send at once: each holds a socket, buffers and a file that is being written, for as long as its sender likes. */
const MAX_UPLOADS = 64;
/** Of one tenant. A waiting upload is not read from: it costs only a socket. */
const SHARE = 8;
const MAX_WAITING = 32;

/** Of one node. Refuses OVERLOADED when too many of one tenant's wait. */
export const createUploadSlots = (): FairSlots =>
  new FairSlots({
    slots: MAX_UPLOADS,
    share: SHARE,
    waiting: MAX_WAITING,
    full: () => refusal('OVERLOADED', { retryAfterMs: 5_000 }),
  });
