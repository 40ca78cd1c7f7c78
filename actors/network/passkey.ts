import { Refusal } from '../../runtime/errors.ts';

/** The network's site, where linking with a passkey runs (http/areas/sessions/ceremony-rows.ts). */
export const NETWORK_ORIGIN = 'https://web.whatsapp.com';

export interface TakesPasskeys {
  /** Rejects with VALIDATION_FAILED (can be retried), NOT_FOUND, CONFLICT or NOT_CONNECTED. */
  answerPasskey(credential: PasskeyCredential): Promise<void>;
  /** Call this when the person has confirmed that the phone shows the same code. */
  confirmPasskey(): Promise<void>;
}

/** The network's JSON. It has more fields than are listed here. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly [field: string]: unknown;
}

/** The result of `PublicKeyCredential.toJSON()`: bytes are base64url, and browsers add fields. */
export interface PasskeyCredential {
  readonly id: string;
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

/** The connection closes with 408 at `expiresAt`. */
export type PasskeyEvent =
  | { readonly type: 'passkeyAsked'; readonly options: PasskeyOptions; readonly expiresAt: number }
  | { readonly type: 'passkeyConfirm'; readonly code: string; readonly expiresAt: number };

export const takesPasskeys = (connection: object): connection is TakesPasskeys =>
  'answerPasskey' in connection && 'confirmPasskey' in connection;

export function passkeysOf(connection: object): TakesPasskeys {
  if (!takesPasskeys(connection)) throw new Refusal('NOT_FOUND');
  return connection;
}
