/** `usync` is the server's response to a query about people. `history` may be out of date. */
export type IdentitySource = 'stanza' | 'usync' | 'own-phone' | 'history' | 'notice';

export interface IdentityFact {
  /** A hidden address, or a number as it was dialled, if the number is registered in another form. */
  readonly address: string;
  readonly phone: string;
  /** Set if `phone` is the number that was looked up. */
  readonly isAsked?: true;
  readonly username: string | null;
  readonly source: IdentitySource;
  readonly at: number;
}
