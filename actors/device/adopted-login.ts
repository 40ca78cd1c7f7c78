import type { Credentials } from '../network/port.ts';

/** A login from another program, after validation. Its secrets are already stored. */
export interface AdoptedLogin {
  readonly moveId: string;
  readonly generation: string | null;
  readonly credentials: Credentials;
  /** The phone number (digits) and the hidden address (`lid`) that the login claims to have. */
  readonly phone: string;
  readonly lid: string | null;
  readonly linkedAt: number | null;
}
