/** `usync` is the server's response about people; `history` may be older than the known state. */
export type IdentitySource = 'stanza' | 'usync' | 'own-phone' | 'history' | 'notice';

export interface IdentityFact {
  /** A hidden address, or the address of a dialled number that is registered in another form. */
  readonly address: string;
  readonly phone: string;
  /** Set for the number that was looked up. */
  readonly isAsked?: true;
  readonly username: string | null;
  readonly source: IdentitySource;
  readonly at: number;
}
