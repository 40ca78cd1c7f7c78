export type ChatForm = 'lid' | 'pn';

export interface Address {
  readonly to: string;
  readonly lid: string | null;
  readonly pn: string | null;
  /** Set if the form differs from the assumed one, which is corrected if this address works. */
  readonly isProof?: boolean;
}

export interface Addressing {
  /** Records a form stated by the network or our phone. Moves to hidden addresses are permanent. */
  told(form: ChatForm): void;
  heard(from: string, alt: string | undefined): void;
  reach(chat: string): Promise<Address>;
  /** Returns the address for receipts and presence; never sends a request. */
  known(chat: string): Promise<string>;
  other(error: string, refused: Address): Promise<Address | null>;
  reached(address: Address): void;
  refresh(jid: string): Promise<void>;
  hiddenOf(jid: string): Promise<string | null>;
  numberOf(lid: string): Promise<string | null>;
}
