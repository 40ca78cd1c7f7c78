/** An official number, which belongs to one device. Secrets are sealed before they are stored. */
export interface OfficialNumber {
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly app_id: string;
  readonly graph_version: string | null;
  /** Hash of the webhook token, which all numbers of a tenant's app share. */
  readonly hook: string;
  readonly token: string;
  readonly verify_token: string;
  readonly app_secret: string;
  readonly access_token: string;
  readonly pin: string | null;
  readonly former: { readonly app_secret: string; readonly until: number } | null;
  readonly quality: string | null;
  /** Maximum number of new people to contact within 24 hours; null if unlimited or unknown. */
  readonly tier: number | null;
  readonly can_send: boolean;
  readonly currency?: string;
  readonly trouble?: { readonly reason: string; readonly at: number } | null;
  readonly token_expires_at: number | null;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly fix: string | null }[];
}

export type OfficialSecret = 'token' | 'verify_token' | 'app_secret' | 'access_token' | 'pin';

export const officialSecretOf = (name: OfficialSecret | 'webhook'): string => `official ${name}`;
