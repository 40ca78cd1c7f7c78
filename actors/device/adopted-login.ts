import type { Credentials } from '../network/port.ts';

/** A validated login from another program. Its secrets are already in the store. */
export interface AdoptedLogin {
  readonly moveId: string;
  readonly generation: string | null;
  readonly credentials: Credentials;
  /** The phone number (digits) and the hidden address (`lid`) that the login claims to have. */
  readonly phone: string;
  readonly lid: string | null;
  readonly linkedAt: number | null;
}
