import type { Credentials } from '../network/port.ts';

/** A login that was checked, and whose secrets lie in the store already. */
export interface AdoptedLogin {
  readonly moveId: string;
  /** Under which its secrets lie; null: it has none. */
  readonly generation: string | null;
  readonly credentials: Credentials;
  /** Digits, and the hidden address, as the login claims. */
  readonly phone: string;
  readonly lid: string | null;
  /** When the phone was linked, epoch ms; null: the source does not say. */
  readonly linkedAt: number | null;
}
