import type { LinkedDevice } from './devices.ts';
import type { NetworkMessage } from './protocol.ts';

/** A message on its way. Its sender gets `delivered` and `read` when the last reader has received and read it, as with real phones. */
export interface PendingDelivery {
  readonly networkMessage: NetworkMessage;
  /** Null when a person wrote it by hand: nobody waits for receipts. */
  readonly sender: LinkedDevice | null;
  toDeliver: number;
  toRead: number;
}

/** `readers`: how many phones it goes to. */
export function pendingDeliveryOf(networkMessage: NetworkMessage, sender: LinkedDevice | null, readers: number): PendingDelivery {
  return { networkMessage, sender, toDeliver: readers, toRead: readers };
}
