import { Refusal } from '../../runtime/errors.ts';

/** The site of the network's passkeys, where the ceremony runs (http/areas/sessions/ceremony-rows.ts). */
export const NETWORK_ORIGIN = 'https://web.whatsapp.com';

/** Some drivers only: the network may request a passkey after the QR code or the pairing code. */
export interface TakesPasskeys {
  /**
   * Answers `passkeyAsked`. Rejects with VALIDATION_FAILED (you may retry), NOT_FOUND if no passkey
   * is requested, CONFLICT while another answer is in progress, or NOT_CONNECTED.
   */
  answerPasskey(credential: PasskeyCredential): Promise<void>;
  /**
   * Answers `passkeyConfirm`: the person saw the same code on the phone. Rejects with NOT_FOUND,
   * CONFLICT or NOT_CONNECTED.
   */
  confirmPasskey(): Promise<void>;
}

/** Options for the authenticator: the network's JSON, including fields that are not listed here. */
export interface PasskeyOptions {
  /** base64url. */
  readonly challenge: string;
  readonly [field: string]: unknown;
}

/** `PublicKeyCredential.toJSON()`: bytes as base64url, with extra fields of the browser. */
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

/** Valid until `expiresAt` (epoch ms); then the connection closes with 408. */
export type PasskeyEvent =
  | { readonly type: 'passkeyAsked'; readonly options: PasskeyOptions; readonly expiresAt: number }
  | { readonly type: 'passkeyConfirm'; readonly code: string; readonly expiresAt: number };

export const takesPasskeys = (connection: object): connection is TakesPasskeys =>
  'answerPasskey' in connection && 'confirmPasskey' in connection;

/** Fails with NOT_FOUND if the driver does not support passkeys: it then cannot have requested one. */
export function passkeysOf(connection: object): TakesPasskeys {
  if (!takesPasskeys(connection)) throw new Refusal('NOT_FOUND');
  return connection;
}
