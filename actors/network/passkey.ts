import { Refusal } from '../../runtime/errors.ts';

/** The site whose pages may use the passkeys of the network's accounts, and so the ceremony (http/areas/sessions/ceremony-rows.ts). */
export const NETWORK_ORIGIN = 'https://web.whatsapp.com';

/** An ability that not every driver has: the network asks some accounts for a passkey after the QR or the code. */
export interface TakesPasskeys {
  /**
   * Answers `passkeyAsked`. What follows is received: `passkeyConfirm`, or at once `linked`. Rejects with Refusal VALIDATION_FAILED when the
   * network does not take it (it may be tried again until the time is over), NOT_FOUND when none is asked for, CONFLICT while another one is
   * being answered, NOT_CONNECTED.
   */
  answerPasskey(credential: PasskeyCredential): Promise<void>;
  /** Answers `passkeyConfirm`: the person saw the same code on the phone. Rejects with Refusal NOT_FOUND, CONFLICT, NOT_CONNECTED. */
  confirmPasskey(): Promise<void>;
}

/** The options for an authenticator: the network's own JSON, with whatever else it holds. */
export interface PasskeyOptions {
  /** base64url. */
  readonly challenge: string;
  readonly [field: string]: unknown;
}

/** The answer of an authenticator: what `PublicKeyCredential.toJSON()` gives, all bytes as base64url, with whatever else the browser adds. */
export interface PasskeyCredential {
  readonly id: string;
  /** The same as `id`. */
  readonly rawId?: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | null;
    readonly [field: string]: unknown;
  };
  readonly clientExtensionResults?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
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
