/**
 * Numbers on the vendor's business platform: a part of the row of their device, so that they live and end with it. Secrets are sealed for
 * the device before they come here. One number belongs to one device of the installation (the unique index `by_official_number`).
 */
export interface OfficialNumber {
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly app_id: string;
  readonly graph_version: string | null;
  /** Hash of the token of its webhook, which all numbers of one tenant and app share. */
  readonly hook: string;
  /** Sealed. */
  readonly token: string;
  readonly verify_token: string;
  readonly app_secret: string;
  readonly access_token: string;
  readonly pin: string | null;
  /** The app secret before this one counts until then, epoch ms. */
  readonly former: { readonly app_secret: string; readonly until: number } | null;
  readonly quality: string | null;
  /** New people within 24 hours; null: no limit, or not known. */
  readonly tier: number | null;
  readonly can_send: boolean;
  readonly token_expires_at: number | null;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly fix: string | null }[];
}

/** Secrets of a number, by the field that holds them. */
export type OfficialSecret = 'token' | 'verify_token' | 'app_secret' | 'access_token' | 'pin';

/** What the seal of a secret, or of a webhook that waits, is told that it holds. */
export const officialSecretOf = (name: OfficialSecret | 'webhook'): string => `official ${name}`;
