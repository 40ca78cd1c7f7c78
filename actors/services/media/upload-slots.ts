import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal } from '../../domain/refusals.ts';

/**
 * Maximum concurrent uploads per node; each holds a socket, buffers and an open file for as long as
 * the sender takes.
 */
const MAX_UPLOADS = 64;
/** Maximum concurrent uploads of one tenant. A waiting upload is not read and occupies only a socket. */
const SHARE = 8;
const MAX_WAITING = 32;

/** Fails with OVERLOADED when too many uploads of one tenant are waiting. */
export const createUploadSlots = (): FairSlots =>
  new FairSlots({
    slots: MAX_UPLOADS,
    share: SHARE,
    waiting: MAX_WAITING,
    full: () => refusal('OVERLOADED', { retryAfterMs: 5_000 }),
  });
