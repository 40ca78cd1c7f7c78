/** How a 1:1 chat is addressed: by hidden address, or by number. */
export type ChatForm = 'lid' | 'pn';

/** The address of a message to a person. */
export interface Address {
  readonly to: string;
  readonly lid: string | null;
  /** Address by number, in the network's form; null when unknown. */
  readonly pn: string | null;
  /** Set for another form than our account is assumed to use; if it works, that is learned. */
  readonly isProof?: boolean;
}

/** Finds the addresses of 1:1 chats; see `addressing.ts`. */
export interface Addressing {
  /**
   * Records a statement of the network, or of our phone, whether the account's chats were moved. A
   * move is never undone.
   */
  told(form: ChatForm): void;
  /** Records that a message came from this person. */
  heard(from: string, alt: string | undefined): void;
  /** Returns the address of a message to this chat; rejects when the person is not on the network. */
  reach(chat: string): Promise<Address>;
  /** Returns the address for receipts and presence of this chat, without a request to the network. */
  known(chat: string): Promise<string>;
  /**
   * Returns the other address of a person after the first was refused with `error`; null when there
   * is none to try.
   */
  other(error: string, refused: Address): Promise<Address | null>;
  /** Records that the network accepted a message to this address. */
  reached(address: Address): void;
  /** Looks up the hidden address of this number again; the answer is learned like any other. */
  refresh(jid: string): Promise<void>;
  /** Returns the hidden address of a person; null when unknown. */
  hiddenOf(jid: string): Promise<string | null>;
  /** Returns the address by number of a hidden address; null when unknown. */
  numberOf(lid: string): Promise<string | null>;
}
