import Joi from 'joi';
import { isAddressOrRange } from '../../../runtime/address-ranges.ts';
import type { KeyPatch, KeyRow, Scope } from '../../../store/accounts/api-keys.ts';
import { FutureTime, Ulid } from '../../core/schemas.ts';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly session_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  readonly allowed_ips: readonly string[] | null;
  readonly rate_limit_per_minute: number;
  readonly primary: boolean;
  readonly last_used_at: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export type KeyFields = KeyPatch & { readonly name: string };

export function toApiKey(row: KeyRow, cap: number): ApiKey {
  const { _id: id, tenant_id, hash, place, ...shown } = row;
  return { id, ...shown, rate_limit_per_minute: Math.min(row.rate_limit_per_minute, cap) };
}

const MAX_DEVICES = 200;
const MAX_ADDRESSES = 100;

const Name = Joi.string().min(1).max(64).pattern(/\S/).example('Web shop');
const Rate = Joi.number().integer().min(1).max(1_000_000).description('Requests per minute, up to the limit of the plan');
const Time = Joi.number().integer().min(0).allow(null);
const Expiry = FutureTime.allow(null);
const SessionIds = Joi.array()
  .items(Ulid)
  .min(1)
  .max(MAX_DEVICES)
  .unique()
  .allow(null)
  .description('The devices that the key can use; null for all');
const Scopes = Joi.array()
  .items(Joi.string().valid('read', 'send', 'manage'))
  .min(1)
  .max(3)
  .unique()
  .example(['read', 'send']);
const AllowedIps = Joi.array()
  .items(
    Joi.string()
      .max(64)
      .custom((value: string, helpers) => (isAddressOrRange(value) ? value : helpers.error('any.invalid'))),
  )
  .min(1)
  .max(MAX_ADDRESSES)
  .allow(null)
  .description('Addresses and CIDR ranges from which the key can be used; null for any')
  .example(['203.0.113.7', '2001:db8::/32']);

const optional = {
  session_ids: SessionIds,
  scopes: Scopes,
  allowed_ips: AllowedIps,
  rate_limit_per_minute: Rate,
  expires_at: Expiry,
};

export const NewKeySchema = Joi.object<KeyFields>({ name: Name.required(), ...optional });
export const PatchKeySchema = Joi.object<KeyPatch>({ name: Name, ...optional }).min(1);

const shown = {
  id: Ulid.required(),
  name: Joi.string().required(),
  prefix: Joi.string().required().description('The first characters of the key'),
  session_ids: SessionIds.required(),
  scopes: Scopes.required(),
  allowed_ips: AllowedIps.required(),
  rate_limit_per_minute: Rate.required(),
  primary: Joi.boolean().required(),
  last_used_at: Time.required(),
  created_at: Joi.number().integer().required(),
  expires_at: Time.required(),
  revoked_at: Time.required(),
};

const Secret = Joi.string().length(43).required().description('Shown only once; stored as a hash');

export const ApiKeySchema = Joi.object<ApiKey>(shown).meta({ title: 'ApiKey' });
export const ShownKeySchema = Joi.object<ApiKey & { readonly key: string }>({ ...shown, key: Secret }).meta({ title: 'ShownApiKey' });
