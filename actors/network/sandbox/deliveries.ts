import type { LinkedDevice } from './devices.ts';
import type { NetworkMessage } from './protocol.ts';

/**
 * A message on its way to its readers. The sender gets `delivered` and `read` when the last reader
 * has received and read it.
 */
export interface PendingDelivery {
  readonly networkMessage: NetworkMessage;
  /** Null if a person wrote the message on a phone, so receipts are not needed. */
  readonly sender: LinkedDevice | null;
  toDeliver: number;
  toRead: number;
}

export function pendingDeliveryOf(networkMessage: NetworkMessage, sender: LinkedDevice | null, readers: number): PendingDelivery {
  return { networkMessage, sender, toDeliver: readers, toRead: readers };
}
