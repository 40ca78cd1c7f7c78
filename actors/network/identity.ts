/**
 * Sources that link two addresses: attributes set by the server, the server's responses about
 * people, our phone, the phone's history (perhaps older than the known state), and number-change
 * notices.
 */
export type IdentitySource = 'stanza' | 'usync' | 'own-phone' | 'history' | 'notice';

/**
 * An address and a number (digits) that belong to the same person, as reported by `source` at `at`
 * (epoch ms).
 */
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
