import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type GivenKeys, type OfficialKeyring, type RenewedKeys, webhookUrl } from '../../../actors/services/official/keys.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { OfficialNumbers } from '../../../store/devices/official-numbers.ts';
import { isDuplicateKey } from '../../../store/port.ts';
import { type Caller, mayLinkPhones } from '../../core/row.ts';

/**
 * Official numbers in the devices API. Their secrets can be written but never read. Only the owner
 * and API keys with the scope `manage` see the callback.
 */

export interface OfficialSessionServices {
  readonly officialKeys: OfficialKeyring;
  readonly officialNumbers: OfficialNumbers;
  readonly officialHooks: { forget(sessionId: string): Promise<void> };
  readonly devices: Devices;
  address(): string;
}

export interface ShownOfficial {
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly app_id: string;
  readonly webhook_url: string | null;
  readonly verify_token?: string;
  readonly quality: string | null;
  readonly tier: number | null;
  readonly can_send: boolean;
  readonly token_expires_at: number | null;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly fix: string | null }[];
}

const Id = Joi.string()
  .pattern(/^\d{1,40}$/)
  .example('200000000000002');
const Secret = Joi.string().min(8).max(4_096);
const Pin = Joi.string()
  .pattern(/^\d{6}$/)
  .allow(null)
  .example('123456');
const Version = Joi.string()
  .pattern(/^v\d{1,3}\.\d{1,2}$/)
  .allow(null)
  .example('v26.0');

const secrets = {
  app_secret: Secret.example('0f1e2d3c4b5a69788796a5b4c3d2e1f0'),
  access_token: Secret.example('EAAexample'),
  pin: Pin,
  graph_version: Version,
};
const ids = { phone_number_id: Id, waba_id: Id, app_id: Id };

export const NewOfficial = Joi.object<GivenKeys>({
  phone_number_id: Id.required(),
  waba_id: Id.required(),
  app_id: Id.required(),
  ...secrets,
  app_secret: secrets.app_secret.required(),
  access_token: secrets.access_token.required(),
})
  .meta({ title: 'OfficialKeys' })
  .description('Creates a device on the official platform instead of a linked phone. Secrets are write-only');

export type OfficialPatch = Partial<GivenKeys> & RenewedKeys;

export const ChangedOfficial = Joi.object<OfficialPatch>({
  ...ids,
  ...secrets,
  end_former: Joi.boolean().description('True: the old app secret stops working at once. Otherwise it stays valid for 24 hours'),
})
  .allow(null)
  .meta({ title: 'OfficialKeysChange' })
  .description('New secrets. On a linked device, give all keys to move its number to the official platform; null moves it back');

export const OfficialSchema = Joi.object({
  phone_number_id: Joi.string().required(),
  waba_id: Joi.string().required(),
  app_id: Joi.string().required(),
  webhook_url: Joi.string().allow(null).required().description('The callback for the app; null for callers without `manage`'),
  verify_token: Joi.string().description('For the callback; only in the responses of create and update'),
  quality: Joi.string().allow(null).required().example('green'),
  tier: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('Maximum number of new people to contact within 24 hours; null if there is no limit or it is not known'),
  can_send: Joi.boolean().required(),
  token_expires_at: Joi.number().integer().allow(null).required(),
  checks: Joi.array()
    .items(
      Joi.object({
        name: Joi.string().required(),
        ok: Joi.boolean().required(),
        fix: Joi.string().allow(null).required().description('What to do if the status is not ok'),
      }),
    )
    .required(),
})
  .allow(null)
  .meta({ title: 'OfficialNumber' })
  .description('The number on the official platform; null for a linked phone');

type Services = Pick<OfficialSessionServices, 'officialKeys' | 'address'>;

/** `tellsToken` is true in responses to create and update requests. */
export function shownOfficial(services: Services, caller: Caller, row: DeviceRow, tellsToken = false): ShownOfficial | null {
  const { official = null } = row;
  if (official === null) return null;
  const keys = mayLinkPhones(caller) ? services.officialKeys.open({ _id: row._id, official }) : null;
  const { phone_number_id, waba_id, app_id, quality, tier, can_send, token_expires_at, checks } = official;
  return {
    ...{ phone_number_id, waba_id, app_id, webhook_url: keys && webhookUrl(services.address(), keys.token) },
    ...(keys && tellsToken && { verify_token: keys.verify_token }),
    ...{ quality, tier, can_send, token_expires_at, checks },
  };
}

export function expectOwner({ role, key }: Caller): void {
  if (role !== 'admin' || key !== null) throw refusal('FORBIDDEN');
}

/** Fails with PHONE_IN_USE if another device of this installation has the number. */
export async function takingNumber<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (isDuplicateKey(cause) && 'official.phone_number_id' in cause.keyPattern) throw refusal('PHONE_IN_USE');
    throw cause;
  }
}

/** Rejects official numbers, which cannot be linked by code or passkey and cannot move in. */
export function expectLinked({ official }: Pick<DeviceRow, 'official'>): void {
  if (official)
    throw refusal('NOT_FOUND', {
      reason: {
        en: 'a device on the official platform is not linked to a phone',
        id: 'perangkat platform resmi tidak ditautkan dengan ponsel',
      },
    });
}

const INCOMPLETE = {
  en: 'moving a number needs phone_number_id, waba_id, app_id, app_secret and access_token',
  id: 'memindahkan nomor memerlukan phone_number_id, waba_id, app_id, app_secret, dan access_token',
};
const OTHER_NUMBER = {
  en: 'these ids belong to another number: create a device for it',
  id: 'id ini milik nomor lain: buat perangkat untuk nomor itu',
};

export async function changedOfficial(
  { officialKeys }: Pick<OfficialSessionServices, 'officialKeys'>,
  row: DeviceRow,
  patch: OfficialPatch | null,
  now: number,
): Promise<DeviceRow['official']> {
  if (patch === null) return null;
  const { official = null } = row;
  if (official !== null) {
    const isSame = (['phone_number_id', 'waba_id', 'app_id'] as const).every(
      (name) => patch[name] === undefined || patch[name] === official[name],
    );
    if (!isSame) throw refusal('CONFLICT', { reason: OTHER_NUMBER });
    return { ...official, ...officialKeys.renewed({ _id: row._id, official }, patch, now) };
  }
  const { phone_number_id, waba_id, app_id, app_secret, access_token, pin = null, graph_version = null } = patch;
  if (!phone_number_id || !waba_id || !app_id || !app_secret || !access_token)
    throw refusal('VALIDATION_FAILED', { reason: INCOMPLETE, field: 'official' });
  const made = await officialKeys.make(row, { phone_number_id, waba_id, app_id, app_secret, access_token, pin, graph_version });
  return made.official;
}
