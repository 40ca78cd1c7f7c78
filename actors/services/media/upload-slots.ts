import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal } from '../../domain/refusals.ts';

/** Each upload holds a socket, buffers and an open file for as long as the sender takes. */
const MAX_UPLOADS = 64;
/** Concurrent uploads per tenant. Further uploads wait without being read and occupy only a socket. */
const SHARE = 8;
const MAX_WAITING = 32;

export const createUploadSlots = (): FairSlots =>
  new FairSlots({
    slots: MAX_UPLOADS,
    share: SHARE,
    waiting: MAX_WAITING,
    full: () => refusal('OVERLOADED', { retryAfterMs: 5_000 }),
  });
