/**
 * Sources that may say that two addresses are one person's: the server's own attributes of a stanza, its answers to questions about people, our own
 * phone, its history, which may be older than what is known, and the network's announcement that a person changed their number.
 */
export type IdentitySource = 'stanza' | 'usync' | 'own-phone' | 'history' | 'notice';

/** An address and a number (digits) are the same person's, as `source` said at `at` (epoch ms). */
export interface IdentityFact {
  /** A hidden address (`…@lid`), or the address by a number that was dialled and is registered in another form. */
  readonly address: string;
  readonly phone: string;
  /** The number is the one that was asked about: the network may have registered the person under another form of it. */
  readonly isAsked?: true;
  readonly username: string | null;
  readonly source: IdentitySource;
  readonly at: number;
}
