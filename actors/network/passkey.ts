import { Refusal } from '../../runtime/errors.ts';

/**
 * The site whose pages may use the passkeys of the network's accounts. The ceremony therefore runs
 * there (http/areas/sessions/ceremony-rows.ts).
 */
export const NETWORK_ORIGIN = 'https://web.whatsapp.com';

/**
 * An ability that only some drivers have: for some accounts the network requests a passkey after
 * the QR code or the pairing code.
 */
export interface TakesPasskeys {
  /**
   * Answers `passkeyAsked`. `passkeyConfirm` follows, or `linked` at once. Rejects with Refusal
   * VALIDATION_FAILED when the network rejects the credential (you may retry until the request
   * expires), NOT_FOUND when no passkey is requested, CONFLICT while another answer is in progress,
   * or NOT_CONNECTED.
   */
  answerPasskey(credential: PasskeyCredential): Promise<void>;
  /** Answers `passkeyConfirm`: the person saw the same code on the phone. Rejects with Refusal NOT_FOUND, CONFLICT, NOT_CONNECTED. */
  confirmPasskey(): Promise<void>;
}

/** Options for the authenticator: the network's JSON, including fields that are not listed here. */
export interface PasskeyOptions {
  /** base64url. */
  readonly challenge: string;
  readonly [field: string]: unknown;
}

/**
 * Answer of the authenticator: the result of `PublicKeyCredential.toJSON()`, all bytes as
 * base64url, including extra fields that the browser adds.
 */
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

/**
 * Events received between the code and `linked`, valid until `expiresAt` (epoch ms); then the
 * connection closes with 408.
 */
export type PasskeyEvent =
  | { readonly type: 'passkeyAsked'; readonly options: PasskeyOptions; readonly expiresAt: number }
  /** A short code, for the person to compare with the one on the phone. */
  | { readonly type: 'passkeyConfirm'; readonly code: string; readonly expiresAt: number };

export const takesPasskeys = (connection: object): connection is TakesPasskeys =>
  'answerPasskey' in connection && 'confirmPasskey' in connection;

/**
 * Returns the connection as one with passkeys. Refuses NOT_FOUND when the driver has none, because
 * then no passkey was requested.
 */
export function passkeysOf(connection: object): TakesPasskeys {
  if (!takesPasskeys(connection)) throw new Refusal('NOT_FOUND');
  return connection;
}
