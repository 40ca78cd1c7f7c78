import type { Credentials } from '../network/port.ts';

/** A checked login from another program; its secrets are already in the store. */
export interface AdoptedLogin {
  readonly moveId: string;
  /** Generation under which the secrets are stored; null if the login has no secrets. */
  readonly generation: string | null;
  readonly credentials: Credentials;
  /** Phone number as digits; `lid`: hidden address. Both as the login claims. */
  readonly phone: string;
  readonly lid: string | null;
  /** When the phone was linked, epoch ms; null if the source does not state it. */
  readonly linkedAt: number | null;
}
