import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal } from '../../domain/refusals.ts';

/** Maximum number of uploads at a time. Each one holds a socket, buffers and an open file. */
const MAX_UPLOADS = 64;
/** Concurrent uploads per tenant. Further uploads wait unread, so that they hold only a socket. */
const SHARE = 8;
const MAX_WAITING = 32;

export const createUploadSlots = (): FairSlots =>
  new FairSlots({
    slots: MAX_UPLOADS,
    share: SHARE,
    waiting: MAX_WAITING,
    full: () => refusal('OVERLOADED', { retryAfterMs: 5_000 }),
  });
