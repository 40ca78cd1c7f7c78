import Joi from 'joi';
import { restrictionAt } from '../../actors/device/restriction.ts';
import type { PasskeyCredential } from '../../actors/network/passkey.ts';
import { factsOf } from '../../actors/phone-numbers.ts';
import type { DevicePairing, DeviceRestriction, DeviceRow, PasskeyOptions, SessionStatus } from '../../store/devices.ts';

/** spec.md "Session" with the additions of api.md "Devices". */
export interface Session {
  readonly id: string;
  readonly name: string | null;
  readonly status: SessionStatus;
  readonly phone_number: string | null;
  readonly wa_name: string | null;
  readonly wa_about: string | null;
  readonly phone_display: string | null;
  readonly phone_country: string | null;
  readonly phone_country_code: string | null;
  readonly api_key_id: string;
  readonly proxy_url: string | null;
  readonly ignore: DeviceRow['ignore'];
  readonly warmup_until_ms: number | null;
  readonly pairing: { readonly step: DevicePairing['step'] } | null;
  readonly restriction: DeviceRestriction | null;
  readonly created_at: number;
  readonly connected_at: number | null;
}

/** A device as its API shows it at `now` (epoch ms): never its secrets. */
export function toSession(row: DeviceRow, now: number): Session {
  const phone = row.phone_number === null ? null : factsOf(row.phone_number);
  return {
    id: row._id,
    name: row.name,
    status: row.status,
    phone_number: row.phone_number,
    wa_name: row.wa_name,
    wa_about: row.wa_about,
    phone_display: phone?.display ?? null,
    phone_country: phone?.country ?? null,
    phone_country_code: phone ? `+${phone.callingCode}` : null,
    api_key_id: row.tenant_id,
    proxy_url: row.proxy_url && withoutPassword(row.proxy_url),
    ignore: row.ignore,
    warmup_until_ms: row.warmup_until_ms,
    pairing: row.pairing && { step: row.pairing.step },
    restriction: restrictionAt(row, now),
    created_at: row.created_at,
    connected_at: row.connected_at,
  };
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password === '') return address;
  url.password = '';
  return url.href;
}

/** What linking waits for, while it does (api.md "Devices"). */
export interface PasskeyAsked {
  readonly step: 'passkey' | 'passkey_confirm';
  readonly options: PasskeyOptions | null;
  readonly code: string | null;
  readonly expires_at: number;
}

/** Null: nothing is asked for at `now` (epoch ms). */
export function toPasskey({ pairing }: DeviceRow, now: number): PasskeyAsked | null {
  if (!pairing || !('expires_at' in pairing) || pairing.expires_at <= now) return null;
  const { step, expires_at } = pairing;
  return { step, options: step === 'passkey' ? pairing.options : null, code: step === 'passkey_confirm' ? pairing.code : null, expires_at };
}

export const Ulid = Joi.string()
  .pattern(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  .example('01J9ZK3V5T8Q4W2N6R7X0Y1ABC');

export const inSession = Joi.object({ sessionId: Ulid.required().description('The device') });

const Flag = Joi.boolean();
export const Ignore = Joi.object({ status: Flag, groups: Flag, channels: Flag }).description(
  'Inbound messages of these kinds are dropped at the door',
);
export const DeviceName = Joi.string().min(1).max(64).allow(null).example('Front desk');
export const ProxyUrl = Joi.string()
  .uri({ scheme: ['http', 'https', 'socks5'] })
  .max(2048)
  .allow(null)
  .description(
    'Everything of this device goes through it, files too, from its next login on, and never past it. While it cannot be used the device is `disconnected` (`status_502`) and tries again; one that is not linked yet is `failed`. It must be at a public address. Its password is not shown again: leave `proxy_url` out of a change to keep it. The sandbox has no use for it.',
  )
  .example('socks5://user:password@proxy.example.com:1080');

export const Restriction = Joi.object({
  until: Joi.number().integer().allow(null).required(),
  reason: Joi.string().allow('').required(),
  new_chats_used: Joi.number().integer().allow(null).required(),
  new_chats_quota: Joi.number().integer().allow(null).required(),
})
  .allow(null)
  .description('The network limits first contacts with strangers; null: it does not');

const text = Joi.string().allow(null, '');
const time = Joi.number().integer().allow(null);

export const SessionSchema: Joi.ObjectSchema = Joi.object({
  id: Ulid.required(),
  name: text.required(),
  status: Joi.string().valid('pending', 'qr_ready', 'connected', 'disconnected', 'failed').required(),
  phone_number: text.required().description('Digits with country code, no +'),
  wa_name: text.required(),
  wa_about: text.required(),
  phone_display: text.required(),
  phone_country: text.required(),
  phone_country_code: text.required(),
  api_key_id: Joi.string().required().description('The owning tenant'),
  proxy_url: text.required(),
  ignore: Ignore.required(),
  warmup_until_ms: time.required(),
  pairing: Joi.object({ step: Joi.string().valid('qr', 'code', 'passkey', 'passkey_confirm').required() })
    .allow(null)
    .required(),
  restriction: Restriction.required(),
  created_at: Joi.number().integer().required(),
  connected_at: time.required(),
}).meta({ title: 'Session' });

/** Bytes as WebAuthn's JSON has them. */
const bytes = (most: number): Joi.StringSchema =>
  Joi.string()
    .pattern(/^[\w-]+$/)
    .max(most)
    .example('3q2-7wAB');

/** WebAuthn's PublicKeyCredential of an assertion. */
export const Credential = Joi.object<PasskeyCredential & { readonly raw_id?: string }, true>({
  id: bytes(1_400).required(),
  raw_id: bytes(1_400).description('As `id`'),
  type: Joi.string().valid('public-key').required(),
  response: Joi.object({
    clientDataJSON: bytes(4_096).required(),
    authenticatorData: bytes(4_096).required(),
    signature: bytes(2_048).required(),
    userHandle: bytes(128).allow(null),
  }).required(),
}).description('What `navigator.credentials.get` made of the options; all bytes as base64url');

const optionsSchema = Joi.object({
  challenge: bytes(1_024).required(),
  rpId: Joi.string().required(),
  timeout: Joi.number().integer().required().unit('ms'),
  userVerification: Joi.string().valid('required', 'preferred', 'discouraged').required(),
});

export const PasskeySchema = Joi.object<PasskeyAsked, true>({
  step: Joi.string().valid('passkey', 'passkey_confirm').required(),
  options: optionsSchema.allow(null).required().description('Of `passkey`: for `PublicKeyCredential.parseRequestOptionsFromJSON`'),
  code: Joi.string()
    .allow(null)
    .required()
    .description('Of `passkey_confirm`: to be compared with the one on the phone')
    .example('ABCD-1234'),
  expires_at: Joi.number().integer().required(),
});
