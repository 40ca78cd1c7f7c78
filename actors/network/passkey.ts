import { Refusal } from '../../runtime/errors.ts';
import type { PasskeyOptions } from '../../store/devices/devices.ts';

/** An ability that not every driver has: the network asks some accounts for a passkey after the QR or the code. */
export interface TakesPasskeys {
  /**
   * Answers `passkeyAsked`. What follows is received: `passkeyConfirm`, or at once `linked`. Rejects with Refusal VALIDATION_FAILED when the
   * network does not take it (it may be tried again until the time is over), NOT_FOUND when none is asked for, NOT_CONNECTED.
   */
  answerPasskey(credential: PasskeyCredential): Promise<void>;
  /** Answers `passkeyConfirm`: the person saw the same code on the phone. Rejects with Refusal NOT_FOUND, CONFLICT, NOT_CONNECTED. */
  confirmPasskey(): Promise<void>;
}

/** The answer of an authenticator to the options: WebAuthn's own JSON, all bytes as base64url. */
export interface PasskeyCredential {
  readonly id: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | null;
  };
}

/** Received between the code and `linked`, until `expiresAt` (epoch ms); then the connection closes with 408. */
export type PasskeyEvent =
  | { readonly type: 'passkeyAsked'; readonly options: PasskeyOptions; readonly expiresAt: number }
  /** A short code, for the person to compare with the one on the phone. */
  | { readonly type: 'passkeyConfirm'; readonly code: string; readonly expiresAt: number };

export const takesPasskeys = (connection: object): connection is TakesPasskeys =>
  'answerPasskey' in connection && 'confirmPasskey' in connection;

/** Refuses NOT_FOUND where the driver has none: then none was asked for, either. */
export function passkeysOf(connection: object): TakesPasskeys {
  if (!takesPasskeys(connection)) throw new Refusal('NOT_FOUND');
  return connection;
}
