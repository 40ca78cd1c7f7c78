/**
 * Sources that link two addresses: attributes set by the server, its answers about people, our
 * phone, its history (perhaps older than the known state), and notices of changed numbers.
 */
export type IdentitySource = 'stanza' | 'usync' | 'own-phone' | 'history' | 'notice';

/** An address and a number (digits) that belong to the same person, as `source` stated at `at` (epoch ms). */
export interface IdentityFact {
  /** A hidden address (`…@lid`), or the address of a dialled number that is registered in another form. */
  readonly address: string;
  readonly phone: string;
  /** Set for the looked-up number; the network may know the person under another form of it. */
  readonly isAsked?: true;
  readonly username: string | null;
  readonly source: IdentitySource;
  readonly at: number;
}
