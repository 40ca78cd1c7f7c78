import type { LinkedDevice } from './devices.ts';
import type { NetworkMessage } from './protocol.ts';

/** The sender gets `delivered` and `read` when the last reader has received and read it. */
export interface PendingDelivery {
  readonly networkMessage: NetworkMessage;
  /** null when a person wrote the message by hand, so no receipts are needed. */
  readonly sender: LinkedDevice | null;
  toDeliver: number;
  toRead: number;
}

export function pendingDeliveryOf(networkMessage: NetworkMessage, sender: LinkedDevice | null, readers: number): PendingDelivery {
  return { networkMessage, sender, toDeliver: readers, toRead: readers };
}
