/** How a 1:1 chat is addressed: by hidden address, or by number. */
export type ChatForm = 'lid' | 'pn';

export interface Address {
  readonly to: string;
  readonly lid: string | null;
  /** Number address in the network's form; null if unknown. */
  readonly pn: string | null;
  /**
   * Set if the form differs from the one that our account is assumed to use. If the address works,
   * the new form is learned.
   */
  readonly isProof?: boolean;
}

export interface Addressing {
  /** Records a statement by the network or our phone whether the chats were moved. A move is never undone. */
  told(form: ChatForm): void;
  heard(from: string, alt: string | undefined): void;
  /** Returns the address for messages to this chat. Rejects if the person is not on the network. */
  reach(chat: string): Promise<Address>;
  /** Returns the address for receipts and presence in this chat, without a request to the network. */
  known(chat: string): Promise<string>;
  /** Returns the other address to try after a refusal with `error`; null if there is none. */
  other(error: string, refused: Address): Promise<Address | null>;
  reached(address: Address): void;
  /** Looks up this number's hidden address again; the result is learned like any other. */
  refresh(jid: string): Promise<void>;
  /** Returns a person's hidden address; null if unknown. */
  hiddenOf(jid: string): Promise<string | null>;
  /** Returns the number address for a hidden address; null if unknown. */
  numberOf(lid: string): Promise<string | null>;
}
