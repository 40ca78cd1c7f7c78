import Joi from 'joi';
import { restrictionAt } from '../../../actors/device/behaviour/restriction.ts';
import { HABITS } from '../../../actors/domain/network-habits.ts';
import { factsOf } from '../../../actors/domain/phone-numbers.ts';
import type { PasskeyCredential } from '../../../actors/network/passkey.ts';
import type { DevicePairing, DeviceRestriction, DeviceRow, PasskeyOptions, SessionStatus } from '../../../store/devices/devices.ts';
import type { DeviceHabits } from '../../../store/devices/network-habits.ts';
import { Ulid } from '../../core/schemas.ts';

/** A device as the API shows it. */
export interface Session {
  readonly id: string;
  readonly name: string | null;
  readonly status: SessionStatus;
  readonly reason: string | null;
  readonly reason_since: number | null;
  readonly code: number | null;
  readonly until: number | null;
  readonly phone_number: string | null;
  readonly wa_name: string | null;
  readonly wa_about: string | null;
  readonly phone_display: string | null;
  readonly phone_country: string | null;
  readonly phone_country_code: string | null;
  readonly api_key_id: string;
  readonly proxy_url: string | null;
  readonly ignore: DeviceRow['ignore'];
  readonly habits: DeviceHabits;
  readonly warmup_until_ms: number | null;
  readonly pairing: { readonly step: DevicePairing['step'] } | null;
  readonly restriction: DeviceRestriction | null;
  readonly paused: boolean;
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
    ...reasonOf(row),
    phone_number: row.phone_number,
    wa_name: row.wa_name,
    wa_about: row.wa_about,
    phone_display: phone?.display ?? null,
    phone_country: phone?.country ?? null,
    phone_country_code: phone ? `+${phone.callingCode}` : null,
    api_key_id: row.tenant_id,
    proxy_url: row.proxy_url && withoutPassword(row.proxy_url),
    ignore: { groups: row.ignore.groups, channels: row.ignore.channels },
    habits: { ...row.habits },
    warmup_until_ms: row.warmup_until_ms,
    pairing: row.pairing && { step: row.pairing.step },
    restriction: restrictionAt(row, now),
    paused: Boolean(row.paused),
    created_at: row.created_at,
    connected_at: row.connected_at,
  };
}

/** A device that is online has no reason not to be. */
function reasonOf({ status, reason, reason_since = null, reason_code = null, reason_until = null }: DeviceRow) {
  if (status === 'connected' || reason === null) return { reason: null, reason_since: null, code: null, until: null };
  return { reason, reason_since, code: reason_code, until: reason_until };
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password === '') return address;
  url.password = '';
  return url.href;
}

/** The current step of linking. */
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

const Flag = Joi.boolean();
export const Ignore = Joi.object({ groups: Flag, channels: Flag })
  .meta({ title: 'IgnoredChats' })
  .description("Inbound messages of these kinds are dropped at the door. Contacts' status stories always are");
export const Habits = Joi.object(Object.fromEntries(HABITS.map((name) => [name, Flag])))
  .meta({ title: 'NetworkHabits' })
  .description(
    'Habits on the wire that are switched for this device alone, from its next login on; those that are missing are as the installation has them (`NETWORK_HABITS`)',
  );
export const DeviceName = Joi.string().min(1).max(64).allow(null).example('Front desk');
export const ProxyUrl = Joi.string()
  .uri({ scheme: ['http', 'https', 'socks5'] })
  .max(2048)
  .allow(null)
  .description(
    'All traffic of this device, including files, uses this proxy from the next login on. While the proxy fails, the device is `disconnected` (`status_502`) and retries; a device that is not linked yet is `failed`. The proxy must have a public address. Its password is not shown again: omit `proxy_url` from an update to keep it. The sandbox ignores it.',
  )
  .example('socks5://user:password@proxy.example.com:1080');

export const Restriction = Joi.object({
  until: Joi.number().integer().allow(null).required(),
  reason: Joi.string().allow('').required(),
  new_chats_used: Joi.number().integer().allow(null).required(),
  new_chats_quota: Joi.number().integer().allow(null).required(),
})
  .meta({ title: 'Restriction' })
  .allow(null)
  .description('The network’s limit on first contacts with strangers; null: none');

const text = Joi.string().allow(null, '');
const time = Joi.number().integer().allow(null);

export const SessionReason = Joi.string()
  .allow(null)
  .description(
    'Why the device is not connected: `client_outdated` (the network refuses the build of the client; the operator has to act), `logged_out`, `banned`, `banned_temporarily`, `replaced`, `network_refused`, `unreachable`, `status_<code>`; null while it is connected, and after a requested disconnect',
  )
  .example('client_outdated');
export const NetworkCode = Joi.number().integer().allow(null).description('The number that the network gave; null: none').example(405);
export const ReasonUntil = Joi.number()
  .integer()
  .allow(null)
  .description('Until when, where the network names a time; epoch ms')
  .example(null);

export const SessionSchema: Joi.ObjectSchema = Joi.object({
  id: Ulid.required(),
  name: text.required(),
  status: Joi.string().valid('pending', 'qr_ready', 'connected', 'disconnected', 'failed').required(),
  reason: SessionReason.required(),
  reason_since: time.required().description('Since when that is the reason'),
  code: NetworkCode.required(),
  until: ReasonUntil.required(),
  phone_number: text.required().description('Digits with country code, no +'),
  wa_name: text.required(),
  wa_about: text.required().description('Empty: none; null: not read yet, or hidden'),
  phone_display: text.required(),
  phone_country: text.required(),
  phone_country_code: text.required(),
  api_key_id: Joi.string().required().description('The owning tenant'),
  proxy_url: text.required(),
  ignore: Ignore.required(),
  habits: Habits.required(),
  warmup_until_ms: time.required(),
  pairing: Joi.object({ step: Joi.string().valid('qr', 'code', 'passkey', 'passkey_confirm').required() })
    .allow(null)
    .required(),
  restriction: Restriction.required(),
  paused: Joi.boolean().required().description('The plan has no room for it: it stays linked and offline until the plan has'),
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
  raw_id: bytes(1_400).description('Same as `id`'),
  type: Joi.string().valid('public-key').required(),
  response: Joi.object({
    clientDataJSON: bytes(4_096).required(),
    authenticatorData: bytes(4_096).required(),
    signature: bytes(2_048).required(),
    userHandle: bytes(128).allow(null),
  }).required(),
}).description('The result of `navigator.credentials.get`; all bytes as base64url');

const optionsSchema = Joi.object({
  challenge: bytes(1_024).required(),
  rpId: Joi.string().required(),
  timeout: Joi.number().integer().required().unit('ms'),
  userVerification: Joi.string().valid('required', 'preferred', 'discouraged').required(),
});

export const PasskeySchema = Joi.object<PasskeyAsked, true>({
  step: Joi.string().valid('passkey', 'passkey_confirm').required(),
  options: optionsSchema.allow(null).required().description('For `passkey`: input of `PublicKeyCredential.parseRequestOptionsFromJSON`'),
  code: Joi.string()
    .allow(null)
    .required()
    .description('For `passkey_confirm`: compare it with the code on the phone')
    .example('ABCD-1234'),
  expires_at: Joi.number().integer().required(),
});
