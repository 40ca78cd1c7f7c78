import Joi from 'joi';
import { beyondPlan, type Plan, type Plans, planOf } from '../../../actors/domain/plans.ts';
import { invalidField, refusal } from '../../../actors/domain/refusals.ts';
import { isWiderKey } from '../../../actors/services/accounts/key-access.ts';
import { newId } from '../../../runtime/ids.ts';
import { keysOf } from '../../../runtime/keys-of.ts';
import type { ApiKeys, KeyPatch, KeyRow } from '../../../store/accounts/api-keys.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Page } from '../../../store/paging/page.ts';
import type { Deletions } from '../../../store/privacy/deletions.ts';
import { accountEnding } from '../../auth/admit.ts';
import { fingerprint, newApiKey } from '../../auth/tokens.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { nextPage, paging, Ulid } from '../../core/schemas.ts';
import { faultIfPast } from '../../core/times.ts';
import { type ApiKey, ApiKeySchema, type KeyFields, NewKeySchema, PatchKeySchema, ShownKeySchema, toApiKey } from './schemas.ts';

export interface ApiKeysServices {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly devices: Pick<Devices, 'list'>;
  readonly plans: Plans;
  readonly deletions: Pick<Deletions, 'find'>;
  invalidate(tenantId: string): void;
}

interface PageQuery {
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const DEFAULT_RATE = 300;
const TRIES = 20;
const KEYS = { en: 'API keys', id: 'kunci API' };
const PREFIX_LENGTH = 8;

const one = Joi.object<{ id: string }>({ id: Ulid.required().description('The key') });
const row = rowsFor<ApiKeysServices>();

export const apiKeys: Area<ApiKeysServices> = {
  name: 'api-keys',
  about: 'API keys for your programs. Only the login of the account owner can manage them',
  rows: [
    row({
      id: 'listApiKeys',
      method: 'GET',
      path: '/v1/api-keys',
      summary: 'List API keys',
      about: 'List API keys, newest first, including revoked ones',
      access: 'keys',
      query: Joi.object<PageQuery>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ api_keys: Joi.array().items(ApiKeySchema).required(), ...nextPage }),
      run: list,
    }),
    row({
      id: 'createApiKey',
      method: 'POST',
      path: '/v1/api-keys',
      summary: 'Create an API key',
      example: { name: 'Shop' },
      about: 'The key is shown only in this response. The first key becomes the primary key. The plan limits the number of active keys',
      audit: { action: 'key.create', on: 'api_keys', kinds: ['insert'] },
      stepUp: true,
      access: 'keys',
      body: NewKeySchema,
      check: ({ expires_at }, now) => faultIfPast('expires_at', expires_at, now),
      status: 201,
      returns: ShownKeySchema,
      refuses: ['LIMIT_REACHED'],
      run: create,
    }),
    row({
      id: 'updateApiKey',
      method: 'PATCH',
      path: '/v1/api-keys/{id}',
      summary: 'Update an API key',
      example: { name: 'Shop', scopes: ['read', 'send'] },
      about: 'Omitted fields are unchanged',
      audit: { action: 'key.update', on: 'api_keys' },
      stepUp: { if: 'the key gets an additional scope, device or address, or a later expiry' },
      access: 'keys',
      params: one,
      body: PatchKeySchema,
      check: ({ expires_at }, now) => faultIfPast('expires_at', expires_at, now),
      status: 200,
      returns: ApiKeySchema,
      refuses: ['NOT_FOUND', 'CONFLICT', 'LIMIT_REACHED'],
      run: update,
    }),
    row({
      id: 'revokeApiKey',
      method: 'DELETE',
      path: '/v1/api-keys/{id}',
      summary: 'Revoke an API key',
      about: 'Revoke a key. The primary key cannot be revoked, only rotated',
      audit: { action: 'key.revoke', on: 'api_keys' },
      stepUp: { none: 'takes access away' },
      access: 'keys',
      params: one,
      status: 200,
      returns: Joi.object({ ok: Joi.boolean().required() }),
      refuses: ['NOT_FOUND', 'CANNOT_REVOKE_PRIMARY'],
      run: revoke,
    }),
    row({
      id: 'rotateApiKey',
      method: 'POST',
      path: '/v1/api-keys/{id}/rotate',
      summary: 'Rotate an API key',
      about: 'Replace the secret of an API key. The new one is shown only in this response; the old one stops working',
      audit: { action: 'key.rotate', on: 'api_keys' },
      stepUp: true,
      access: 'keys',
      params: one,
      status: 200,
      returns: ShownKeySchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: rotate,
    }),
  ],
};

type OfKey<B = unknown> = Call<{ id: string }, unknown, B>;

async function list(services: ApiKeysServices, { caller, query }: Call<unknown, PageQuery, unknown>) {
  const show = await shower(services, caller);
  const list = (page: Page) => services.keys.list(caller.tenantId, page);
  const { entries, next } = await pageFrom(caller.tenantId, query, { list, show });
  return { api_keys: entries, ...next };
}

async function create(
  services: ApiKeysServices,
  { caller, body, now }: Call<unknown, unknown, KeyFields>,
): Promise<ApiKey & { key: string }> {
  await refuseStrangeDevices(services, caller, body.session_ids);
  const { key, hash, prefix } = newSecret();
  const made = {
    _id: newId(now),
    tenant_id: caller.tenantId,
    name: body.name,
    prefix,
    hash,
    session_ids: body.session_ids ?? null,
    scopes: body.scopes ?? ['read', 'send', 'manage'],
    allowed_ips: body.allowed_ips ?? null,
    rate_limit_per_minute: body.rate_limit_per_minute ?? DEFAULT_RATE,
    last_used_at: null,
    created_at: now,
    expires_at: body.expires_at ?? null,
    revoked_at: null,
  } as const;
  const plan = await planNow(services, caller);
  const stored = await services.keys.createWithin(made, plan.keys, now);
  if (!stored) throw beyondPlan(services.plans, plan, 'keys', KEYS);
  // Catches an account deletion that started before this key was stored and may have missed it.
  if ((await services.deletions.find(caller.tenantId))?.open) {
    await services.keys.discard(stored, now);
    throw accountEnding();
  }
  return { ...toApiKey(stored, plan.key_cap), key };
}

/**
 * Retries on conflict, so that the checks always compare the change with the key as it is stored.
 */
async function update(services: ApiKeysServices, { caller, params, body, now, expectStepUp }: OfKey<KeyPatch>): Promise<ApiKey> {
  await refuseStrangeDevices(services, caller, body.session_ids);
  const plan = await planNow(services, caller);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = await services.keys.find(caller.tenantId, params.id);
    if (!stored || stored.revoked_at !== null) break;
    if (keysOf(body).some((field) => isWiderKey(field, stored[field], body[field]))) expectStepUp();
    // Extending an expired key makes it active again, so it needs room in the plan like a new key.
    const changed = await services.keys.edit(stored, body, plan.keys, now);
    if (changed === 'full') throw beyondPlan(services.plans, plan, 'keys', KEYS);
    if (!changed) continue;
    services.invalidate(caller.tenantId);
    return (await shower(services, caller))(changed);
  }
  return whyNot(services, caller, params.id);
}

async function revoke(services: ApiKeysServices, { caller, params, now }: OfKey): Promise<{ ok: boolean }> {
  const revoked = await services.keys.revoke(caller.tenantId, params.id, now);
  const found = revoked ?? (await services.keys.find(caller.tenantId, params.id));
  if (!found) throw refusal('NOT_FOUND');
  if (found.primary) throw refusal('CANNOT_REVOKE_PRIMARY');
  services.invalidate(caller.tenantId);
  return { ok: true };
}

async function rotate(services: ApiKeysServices, { caller, params }: OfKey): Promise<ApiKey & { key: string }> {
  const { key, ...secret } = newSecret();
  const rotated = await services.keys.rotate(caller.tenantId, params.id, secret);
  services.invalidate(caller.tenantId);
  return { ...(await shower(services, caller))(rotated ?? (await whyNot(services, caller, params.id))), key };
}

async function shower(services: ApiKeysServices, caller: Caller): Promise<(row: KeyRow) => ApiKey> {
  const { key_cap } = await planNow(services, caller);
  return (stored) => toApiKey(stored, key_cap);
}

/** Reads the plan again, because the plan cached with the caller may be outdated. */
const planNow = async ({ tenants, plans }: ApiKeysServices, { tenantId }: Caller): Promise<Plan> =>
  planOf(plans, (await tenants.find(tenantId))?.plan ?? 'free');

const REVOKED = { en: 'the key is revoked', id: 'kunci ini sudah dicabut' };

async function whyNot({ keys }: ApiKeysServices, { tenantId }: Caller, id: string): Promise<never> {
  throw (await keys.find(tenantId, id)) ? refusal('CONFLICT', { reason: REVOKED }) : refusal('NOT_FOUND');
}

async function refuseStrangeDevices(
  { devices }: ApiKeysServices,
  { tenantId }: Caller,
  ids: readonly string[] | null | undefined,
): Promise<void> {
  if (!ids) return;
  const own = new Set((await devices.list(tenantId, ids)).map(({ _id }) => _id));
  const stranger = ids.find((id) => !own.has(id));
  if (stranger)
    throw invalidField('session_ids', { en: `session_ids: no device ${stranger}`, id: `session_ids: tidak ada perangkat ${stranger}` });
}

function newSecret(): { key: string; hash: string; prefix: string } {
  const key = newApiKey();
  return { key, hash: fingerprint(key), prefix: key.slice(0, PREFIX_LENGTH) };
}
