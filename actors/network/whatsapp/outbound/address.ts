export type ChatForm = 'lid' | 'pn';

export interface Address {
  readonly to: string;
  readonly lid: string | null;
  readonly pn: string | null;
  /** Set if the address is not in the form assumed so far. A successful send corrects the assumption. */
  readonly isProof?: boolean;
}

export interface Addressing {
  /** Records the form of address that the network or our phone stated. Hidden addresses are final. */
  told(form: ChatForm): void;
  heard(from: string, alt: string | undefined): void;
  reach(chat: string): Promise<Address>;
  /** Returns the address for receipts and presence. Never sends a request. */
  known(chat: string): Promise<string>;
  other(error: string, refused: Address): Promise<Address | null>;
  reached(address: Address): void;
  refresh(jid: string): Promise<void>;
  hiddenOf(jid: string): Promise<string | null>;
  numberOf(lid: string): Promise<string | null>;
}
