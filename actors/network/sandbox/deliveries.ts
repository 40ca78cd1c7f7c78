import type { LinkedDevice } from './devices.ts';
import type { NetworkMessage } from './protocol.ts';

export interface PendingDelivery {
  readonly networkMessage: NetworkMessage;
  /** Null if a person wrote the message on their phone, in which case no receipts are sent. */
  readonly sender: LinkedDevice | null;
  toDeliver: number;
  toRead: number;
}

export function pendingDeliveryOf(networkMessage: NetworkMessage, sender: LinkedDevice | null, readers: number): PendingDelivery {
  return { networkMessage, sender, toDeliver: readers, toRead: readers };
}
