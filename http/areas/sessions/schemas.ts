import Joi from 'joi';
import { restrictionAt } from '../../../actors/device/behaviour/restriction.ts';
import { HABITS } from '../../../actors/domain/network-habits.ts';
import { factsOf } from '../../../actors/domain/phone-numbers.ts';
import type { Fault } from '../../../actors/domain/refusals.ts';
import type { PasskeyCredential } from '../../../actors/network/passkey.ts';
import { PRESENCE_MODES, type PresenceMode } from '../../../actors/network/presence.ts';
import type { CeremonyToken } from '../../../actors/services/devices/ceremonies.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import type { DevicePairing, DeviceRestriction, DeviceRow, SessionStatus } from '../../../store/devices/devices.ts';
import type { DeviceHabits } from '../../../store/devices/network-habits.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { assertionFields } from '../auth/passkey-schemas.ts';
import { OfficialSchema, type ShownOfficial } from './official.ts';

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
  readonly history: { readonly months: number | null };
  readonly presence: PresenceMode;
  readonly warmup_until_ms: number | null;
  readonly pairing: { readonly step: DevicePairing['step'] } | null;
  readonly restriction: DeviceRestriction | null;
  readonly paused: boolean;
  readonly driver: 'linked' | 'official';
  readonly official: ShownOfficial | null;
  readonly verify_token?: string;
  readonly monthly_service_limit: number | null;
  readonly created_at: number;
  readonly connected_at: number | null;
}

export function toSession(row: DeviceRow, now: number, official: ShownOfficial | null): Session {
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
    history: { months: row.history?.months ?? null },
    presence: row.presence ?? 'offline',
    warmup_until_ms: row.warmup_until_ms,
    pairing: row.pairing && { step: row.pairing.step },
    restriction: restrictionAt(row, now),
    paused: Boolean(row.paused),
    driver: row.official ? 'official' : 'linked',
    official,
    ...(official?.verify_token !== undefined && { verify_token: official.verify_token }),
    monthly_service_limit: row.monthly_service_limit ?? null,
    created_at: row.created_at,
    connected_at: row.connected_at,
  };
}

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

export interface PasskeyAsked {
  readonly step: 'passkey' | 'passkey_confirm';
  readonly options: PublicKeyOptions | null;
  readonly code: string | null;
  readonly expires_at: number;
  readonly ceremony: (CeremonyToken & { readonly url: string }) | null;
}

export type PublicKeyOptions = Readonly<Record<string, unknown>>;

export function toPasskey({ pairing }: DeviceRow, now: number): Omit<PasskeyAsked, 'ceremony'> | null {
  if (!pairing || !('ceremony' in pairing) || pairing.expires_at <= now) return null;
  const { expires_at } = pairing;
  if (pairing.step === 'passkey_confirm') return { step: pairing.step, options: null, code: pairing.code, expires_at };
  return { step: pairing.step, options: toOptions(pairing.public_key), code: null, expires_at };
}

export function toOptions(text: string | null): PublicKeyOptions | null {
  const options: unknown = text === null ? null : JSON.parse(text);
  return isRecord(options) ? options : null;
}

/** Accepts `raw_id`, an older name for `rawId`. */
export function toCredential({ raw_id, ...credential }: CredentialBody): PasskeyCredential {
  return { ...credential, rawId: credential.rawId ?? raw_id ?? credential.id };
}

const Flag = Joi.boolean();
export const Ignore = Joi.object({ groups: Flag, channels: Flag })
  .meta({ title: 'IgnoredChats' })
  .description('Inbound messages of these kinds are dropped on arrival. Status stories of contacts are always dropped');
export const Habits = Joi.object(Object.fromEntries(HABITS.map((name) => [name, Flag])))
  .meta({ title: 'NetworkHabits' })
  .description('Network habits for this device only, from its next login. Omitted ones follow the installation (`NETWORK_HABITS`)');
export const OwnPresence = Joi.string()
  .valid(...PRESENCE_MODES)
  .description(
    'How the account appears: `offline`; `online`; `auto`: online while a stream requests `chat.presence`. While it is online, the phone of the account shows no notifications',
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
  .description('The network’s limit on messages to new people; null if there is none');

const text = Joi.string().allow(null, '');
const time = Joi.number().integer().allow(null);

export const SessionReason = Joi.string()
  .allow(null)
  .description(
    'Why the device is not connected: `client_outdated` (the network refuses the build of the client; the operator has to act), `logged_out`, `banned`, `banned_temporarily`, `replaced`, `moved_elsewhere` and `number_mismatch` (a login that was moved in), `network_refused`, `unreachable`, `status_<code>`; null while it is connected, and after a requested disconnect',
  )
  .example('client_outdated');
export const NetworkCode = Joi.number()
  .integer()
  .allow(null)
  .description('The status code that the network sent; null if there is none')
  .example(405);
export const ReasonUntil = Joi.number().integer().allow(null).description('End time in epoch ms, if the network sends one').example(null);

export const SessionSchema: Joi.ObjectSchema = Joi.object({
  id: Ulid.required(),
  name: text.required(),
  status: Joi.string().valid('pending', 'qr_ready', 'connected', 'disconnected', 'failed').required(),
  reason: SessionReason.required(),
  reason_since: time.required().description('Since when this reason applies'),
  code: NetworkCode.required(),
  until: ReasonUntil.required(),
  phone_number: text.required().description('Digits with country code, no +'),
  wa_name: text.required(),
  wa_about: text.required().description('Empty if there is none; null if not read yet or hidden'),
  phone_display: text.required(),
  phone_country: text.required(),
  phone_country_code: text.required(),
  api_key_id: Joi.string().required().description('The owning tenant'),
  proxy_url: text.required(),
  ignore: Ignore.required(),
  habits: Habits.required(),
  history: Joi.object({
    months: Joi.number().integer().allow(null).required().description('null if the setting of the installation applies'),
  })
    .required()
    .meta({ title: 'DeviceHistory' }),
  presence: OwnPresence.required(),
  warmup_until_ms: time.required(),
  pairing: Joi.object({ step: Joi.string().valid('qr', 'code', 'passkey', 'passkey_confirm').required() })
    .allow(null)
    .required(),
  restriction: Restriction.required(),
  paused: Joi.boolean()
    .required()
    .description('True if the plan allows fewer devices. The device stays linked but offline until the plan allows it'),
  driver: Joi.string().valid('linked', 'official').required().description('A linked phone, or a number on the official platform'),
  official: OfficialSchema.required(),
  verify_token: Joi.string().description('For the callback of an official number; only in the responses of create and update'),
  monthly_service_limit: Joi.number().integer().allow(null).required().description('Paid automatic replies per month; null if unlimited'),
  created_at: Joi.number().integer().required(),
  connected_at: time.required(),
}).meta({ title: 'Session' });

export type CredentialBody = PasskeyCredential & { readonly raw_id?: string };

/** A credential is a few hundred bytes long, but browsers and password managers may add data. */
export const MAX_CREDENTIAL_BYTES = 65_536;

export const Credential = Joi.object<CredentialBody>({
  ...assertionFields,
  rawId: assertionFields.rawId.optional(),
  raw_id: Joi.string().max(1_400).description('Older name of `rawId`'),
  clientExtensionResults: assertionFields.clientExtensionResults.optional(),
})
  .unknown()
  .meta({ title: 'LinkingCredential' })
  .description('The result of `navigator.credentials.get`, in the form of its `toJSON()`');

export function credentialFaults(credential: unknown): readonly Fault[] {
  if (!isRecord(credential)) return [];
  const { id, rawId, raw_id } = credential;
  return Object.entries({ rawId, raw_id })
    .filter(([, value]) => value !== undefined && value !== id)
    .map(([name]) => ({ path: `credential.${name}`, en: 'must be the same as id', id: 'harus sama dengan id' }));
}

export const PublicKey = Joi.object({ challenge: Joi.string().required().example('3q2-7wAB') })
  .unknown()
  .meta({ title: 'PublicKeyOptions' })
  .description(
    'The network’s options as it sent them, without the extensions `prf` and `largeBlob`: input of `PublicKeyCredential.parseRequestOptionsFromJSON`',
  );

const CeremonySchema = Joi.object({
  url: Joi.string().required().example('https://gateway.example.com/passkey-ceremony/3q2-7wAB'),
  token: Joi.string().required().description('A secret of 256 bits. Anyone who has it can answer, so do not log it').example('3q2-7wAB'),
  expires_at: Timestamp.required(),
})
  .allow(null)
  .description('Lets a browser on the network’s own site answer, without credentials of the gateway');

export const PasskeySchema = Joi.object<PasskeyAsked>({
  step: Joi.string().valid('passkey', 'passkey_confirm').required(),
  options: PublicKey.allow(null).required().description('For `passkey`; null after the network accepted one, until its next step'),
  code: Joi.string()
    .allow(null)
    .required()
    .description('For `passkey_confirm`: compare it with the code on the phone')
    .example('ABCD-1234'),
  expires_at: Joi.number().integer().required(),
  ceremony: CeremonySchema.required(),
});
