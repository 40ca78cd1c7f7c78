import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { type Plans, planOf } from '../../actors/plans.ts';
import { refusal } from '../../actors/refusals.ts';
import { newId } from '../../runtime/ids.ts';
import type { ApiKeys, KeyPatch, KeyRow } from '../../store/api-keys.ts';
import type { Devices } from '../../store/devices.ts';
import type { Tenants } from '../../store/tenants.ts';
import { type Area, type Call, type Caller, rowsFor } from '../row.ts';
import { fingerprint } from '../tokens.ts';
import { type ApiKey, ApiKeySchema, type KeyFields, NewKeySchema, PatchKeySchema, ShownKeySchema, toApiKey } from './api-key-schemas.ts';
import { Ulid } from './session-schemas.ts';

export interface ApiKeysWorld {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly devices: Pick<Devices, 'list'>;
  readonly plans: Plans;
  /** Makes this node's gate forget what it believes of the tenant's keys. */
  invalidate(tenantId: string): void;
}

const DEFAULT_RATE = 300;
const KEY_BYTES = 32;
const PREFIX_LENGTH = 8;

const one = Joi.object<{ id: string }>({ id: Ulid.required().description('The key') });
const row = rowsFor<ApiKeysWorld>();

export const apiKeys: Area<ApiKeysWorld> = {
  name: 'api-keys',
  about: 'Keys for programs; managed by the account owner after login',
  rows: [
    row({
      id: 'listApiKeys',
      method: 'GET',
      path: '/v1/api-keys',
      summary: 'All keys, newest first, revoked ones too',
      access: 'keys',
      status: 200,
      returns: Joi.object({ api_keys: Joi.array().items(ApiKeySchema).required() }),
      run: list,
    }),
    row({
      id: 'createApiKey',
      method: 'POST',
      path: '/v1/api-keys',
      summary: 'Make a key; it is shown in this answer only. The first one is the primary',
      access: 'keys',
      body: NewKeySchema,
      status: 201,
      returns: ShownKeySchema,
      run: create,
    }),
    row({
      id: 'updateApiKey',
      method: 'PATCH',
      path: '/v1/api-keys/{id}',
      summary: 'Change what a key may do',
      access: 'keys',
      params: one,
      body: PatchKeySchema,
      status: 200,
      returns: ApiKeySchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: update,
    }),
    row({
      id: 'revokeApiKey',
      method: 'DELETE',
      path: '/v1/api-keys/{id}',
      summary: 'Revoke a key; the primary one can only be rotated',
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
      summary: 'A new secret for the same key, shown in this answer only; the old one stops working',
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

async function list(world: ApiKeysWorld, { caller }: Call<unknown, unknown, unknown>): Promise<{ api_keys: ApiKey[] }> {
  const [rows, show] = await Promise.all([world.keys.list(caller.tenantId), shower(world, caller)]);
  return { api_keys: rows.map(show) };
}

async function create(world: ApiKeysWorld, { caller, body, now }: Call<unknown, unknown, KeyFields>): Promise<ApiKey & { key: string }> {
  await refuseStrangeDevices(world, caller, body.session_ids);
  refusePast(body.expires_at, now);
  const { key, hash, prefix } = newSecret();
  const stored = await world.keys.create({
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
  });
  return { ...(await shower(world, caller))(stored), key };
}

async function update(world: ApiKeysWorld, { caller, params, body, now }: OfKey<KeyPatch>): Promise<ApiKey> {
  await refuseStrangeDevices(world, caller, body.session_ids);
  refusePast(body.expires_at, now);
  const changed = await world.keys.edit(caller.tenantId, params.id, body);
  world.invalidate(caller.tenantId);
  return (await shower(world, caller))(changed ?? (await whyNot(world, caller, params.id)));
}

async function revoke(world: ApiKeysWorld, { caller, params, now }: OfKey): Promise<{ ok: boolean }> {
  const revoked = await world.keys.revoke(caller.tenantId, params.id, now);
  const found = revoked ?? (await world.keys.find(caller.tenantId, params.id));
  if (!found) throw refusal('NOT_FOUND');
  if (found.primary) throw refusal('CANNOT_REVOKE_PRIMARY');
  world.invalidate(caller.tenantId);
  return { ok: true };
}

async function rotate(world: ApiKeysWorld, { caller, params }: OfKey): Promise<ApiKey & { key: string }> {
  const { key, ...secret } = newSecret();
  const rotated = await world.keys.rotate(caller.tenantId, params.id, secret);
  world.invalidate(caller.tenantId);
  return { ...(await shower(world, caller))(rotated ?? (await whyNot(world, caller, params.id))), key };
}

/** A key as shown: its rate limit is the one in force, the plan's cap included. */
async function shower({ tenants, plans }: ApiKeysWorld, { tenantId }: Caller): Promise<(row: KeyRow) => ApiKey> {
  const cap = planOf(plans, (await tenants.find(tenantId))?.plan ?? 'free').key_cap;
  return (stored) => toApiKey(stored, cap);
}

async function whyNot({ keys }: ApiKeysWorld, { tenantId }: Caller, id: string): Promise<never> {
  throw refusal((await keys.find(tenantId, id)) ? 'CONFLICT' : 'NOT_FOUND');
}

async function refuseStrangeDevices(
  { devices }: ApiKeysWorld,
  { tenantId }: Caller,
  ids: readonly string[] | null | undefined,
): Promise<void> {
  if (!ids) return;
  const own = new Set((await devices.list(tenantId, ids)).map(({ _id }) => _id));
  const stranger = ids.find((id) => !own.has(id));
  if (stranger) throw invalid(`session_ids: no device ${stranger}`, `session_ids: tidak ada perangkat ${stranger}`);
}

function refusePast(expiresAt: number | null | undefined, now: number): void {
  if (typeof expiresAt === 'number' && expiresAt <= now) throw invalid('expires_at is in the past', 'expires_at sudah lewat');
}

const invalid = (en: string, id: string) => refusal('VALIDATION_FAILED', { reason: { en, id } });

function newSecret(): { key: string; hash: string; prefix: string } {
  const key = randomBytes(KEY_BYTES).toString('base64url');
  return { key, hash: fingerprint(key), prefix: key.slice(0, PREFIX_LENGTH) };
}
