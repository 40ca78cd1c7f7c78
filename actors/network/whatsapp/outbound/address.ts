/** How a chat of two is addressed: by hidden address, or by number. */
export type ChatForm = 'lid' | 'pn';

/** Where a message to a person goes. */
export interface Address {
  readonly to: string;
  readonly lid: string | null;
  /** By number, in the network's form; null: not known. */
  readonly pn: string | null;
  /** Another form than our account was thought to take: where it works, that is learnt. */
  readonly isProof?: boolean;
}

/** Where chats of two are; see `addressing.ts`. */
export interface Addressing {
  /** The network, or our phone, says whether the account's chats were moved. That they were is never taken back. */
  told(form: ChatForm): void;
  /** A message came from this person. */
  heard(from: string, alt: string | undefined): void;
  /** The address of a message to this chat; rejects when the network knows nobody there. */
  reach(chat: string): Promise<Address>;
  /** The address for receipts and presence of this chat, without asking the network. */
  known(chat: string): Promise<string>;
  /** The other address of a person, where the first was refused with `error`; null: there is none to be tried. */
  other(error: string, refused: Address): Promise<Address | null>;
  /** A message was taken. */
  reached(address: Address): void;
  /** The hidden address of this number may be another by now; the answer is learnt as every answer is. */
  refresh(jid: string): Promise<void>;
  /** The hidden address of a person, as far as it is known. */
  hiddenOf(jid: string): Promise<string | null>;
  /** The number of a hidden address, as far as it is known. */
  numberOf(lid: string): Promise<string | null>;
}
