/**
 * Changes that the owner made on the phone to their own view of chats: stars, deletions, cleared
 * chats, address book. The gateway never makes such changes itself.
 */
export type PhoneChange = MessageChange | ChatCleared | ContactSaved;

interface OfChat {
  readonly chat: string;
  readonly chatAlt?: string;
  /** When the owner made the change, epoch ms. */
  readonly at: number;
}

export interface MessageChange extends OfChat {
  readonly kind: 'starred' | 'unstarred' | 'removed';
  readonly netId: string;
  /** The message's author; null for this device's own number. */
  readonly from: string | null;
}

/** The owner cleared the chat: the phone no longer shows messages up to `until` (epoch ms). */
export interface ChatCleared extends OfChat {
  readonly kind: 'cleared';
  readonly until: number;
}

/** The person's name in the phone's address book; null if the entry was removed. */
export interface ContactSaved extends OfChat {
  readonly kind: 'saved';
  readonly name: string | null;
}

export interface PhoneChangesEvent {
  readonly type: 'phoneChanges';
  readonly token: string;
  readonly changes: readonly PhoneChange[];
}
