/**
 * Sources that may state that two addresses belong to one person: attributes that the server sets
 * on a stanza, the server's answers to questions about people, our own phone, its history (which
 * may be older than the known state), and the network's notice that a person changed their number.
 */
export type IdentitySource = 'stanza' | 'usync' | 'own-phone' | 'history' | 'notice';

/** An address and a number (digits) that belong to the same person, as `source` stated at `at` (epoch ms). */
export interface IdentityFact {
  /** A hidden address (`…@lid`), or the address of a dialled number that is registered in another form. */
  readonly address: string;
  readonly phone: string;
  /**
   * Set when the number is the one that was looked up; the network may have registered the person
   * under another form of it.
   */
  readonly isAsked?: true;
  readonly username: string | null;
  readonly source: IdentitySource;
  readonly at: number;
}
