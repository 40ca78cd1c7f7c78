/** Changes that only the phone makes, never the gateway. */
export type PhoneChange = MessageChange | ChatCleared | ContactSaved;

interface OfChat {
  readonly chat: string;
  readonly chatAlt?: string;
  readonly at: number;
}

export interface MessageChange extends OfChat {
  readonly kind: 'starred' | 'unstarred' | 'removed';
  readonly netId: string;
  readonly from: string | null;
}

export interface ChatCleared extends OfChat {
  readonly kind: 'cleared';
  readonly until: number;
}

export interface ContactSaved extends OfChat {
  readonly kind: 'saved';
  readonly name: string | null;
}

export interface PhoneChangesEvent {
  readonly type: 'phoneChanges';
  readonly token: string;
  readonly changes: readonly PhoneChange[];
}
