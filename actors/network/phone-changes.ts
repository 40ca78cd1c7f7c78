/**
 * Changes that the owner made on the phone to their own view of chats: stars, deletions, emptied
 * chats, address book. The gateway never sends one back.
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
  /** The author of the message; null: this device's own number. */
  readonly from: string | null;
}

/** The phone shows no message of the chat up to `until` (epoch ms) any more. */
export interface ChatCleared extends OfChat {
  readonly kind: 'cleared';
  readonly until: number;
}

/** The person has this name in the phone's address book; null: none any more. */
export interface ContactSaved extends OfChat {
  readonly kind: 'saved';
  readonly name: string | null;
}

export interface PhoneChangesEvent {
  readonly type: 'phoneChanges';
  readonly token: string;
  readonly changes: readonly PhoneChange[];
}
