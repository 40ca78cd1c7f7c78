/** How a 1:1 chat is addressed: by hidden address, or by number. */
export type ChatForm = 'lid' | 'pn';

export interface Address {
  readonly to: string;
  readonly lid: string | null;
  /** Address by number, in the network's form; null when unknown. */
  readonly pn: string | null;
  /** Set for another form than our account is assumed to use; if it works, that is learned. */
  readonly isProof?: boolean;
}

export interface Addressing {
  /** The network or our phone stated whether the chats were moved. A move is never undone. */
  told(form: ChatForm): void;
  heard(from: string, alt: string | undefined): void;
  /** Returns the address of a message to this chat; rejects when the person is not on the network. */
  reach(chat: string): Promise<Address>;
  /** Returns the address for receipts and presence of this chat, without a request to the network. */
  known(chat: string): Promise<string>;
  /** The other address after a refusal with `error`; null when there is none to try. */
  other(error: string, refused: Address): Promise<Address | null>;
  reached(address: Address): void;
  /** Looks up the hidden address of this number again; the answer is learned like any other. */
  refresh(jid: string): Promise<void>;
  /** Returns the hidden address of a person; null when unknown. */
  hiddenOf(jid: string): Promise<string | null>;
  /** Returns the address by number of a hidden address; null when unknown. */
  numberOf(lid: string): Promise<string | null>;
}
