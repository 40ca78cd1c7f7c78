import Joi from 'joi';
import type { Plans } from '../../actors/plans.ts';
import { refusal } from '../../actors/refusals.ts';
import type { TenantRow, Tenants } from '../../store/tenants.ts';
import { pageFrom } from '../paging.ts';
import { type Area, type Call, rowsFor } from '../row.ts';
import { Before, beforeId } from '../schemas.ts';
import { Ulid } from './session-schemas.ts';

export interface TenantsWorld {
  readonly tenants: Tenants;
  readonly plans: Plans;
  /** The operator changed its plan or suspended it: the gate and what runs of the tenant have to hear of it. */
  onTenantChanged(tenantId: string): void;
}

/** A tenant as the operator sees it. Times are epoch ms. */
interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly country: string;
  readonly timezone: string;
  readonly plan: string;
  readonly suspended: boolean;
  readonly created_at: number;
  readonly updated_at: number;
}

interface ListQuery {
  limit?: number;
  before?: number;
  before_id?: string;
}

interface Patch {
  plan?: string;
  suspended?: boolean;
}

const DEFAULT_LIMIT = 50;

const one = Joi.object<{ id: string }>({ id: Ulid.required().description('The tenant') });
const Time = Joi.number().integer().min(0);
const TenantSchema = Joi.object<Tenant>({
  id: Joi.string().required(),
  name: Joi.string().required(),
  phone: Joi.string().required().description('Digits with country code, no +'),
  country: Joi.string().required(),
  timezone: Joi.string().required(),
  plan: Joi.string().required(),
  suspended: Joi.boolean().required(),
  created_at: Time.required(),
  updated_at: Time.required(),
}).meta({ title: 'Tenant' });

const row = rowsFor<TenantsWorld>();

export const tenants: Area<TenantsWorld> = {
  name: 'tenants',
  about: 'Tenants, for the platform operator',
  rows: [
    row({
      id: 'listTenants',
      method: 'GET',
      path: '/v1/admin/tenants',
      summary: 'All tenants, newest first',
      access: 'operator',
      query: Joi.object<ListQuery>({ limit: Joi.number().integer().min(1).max(200), before: Before, before_id: beforeId(Ulid) }).with(
        'before_id',
        'before',
      ),
      status: 200,
      returns: Joi.object({
        tenants: Joi.array().items(TenantSchema).required(),
        next_before: Time.allow(null).required(),
        next_before_id: Joi.string().allow(null).required(),
      }),
      run: list,
    }),
    row({
      id: 'getTenant',
      method: 'GET',
      path: '/v1/admin/tenants/{id}',
      summary: 'One tenant',
      access: 'operator',
      params: one,
      status: 200,
      returns: TenantSchema,
      refuses: ['NOT_FOUND'],
      run: async (world, { params }) => shown(await world.tenants.find(params.id)),
    }),
    row({
      id: 'patchTenant',
      method: 'PATCH',
      path: '/v1/admin/tenants/{id}',
      summary: 'Give a tenant another plan, suspend it or let it back in; acts within 5 seconds everywhere',
      access: 'operator',
      params: one,
      body: Joi.object<Patch>({ plan: Joi.string().max(64).example('pro'), suspended: Joi.boolean() }).min(1),
      status: 200,
      returns: TenantSchema,
      refuses: ['NOT_FOUND'],
      run: govern,
    }),
  ],
};

async function list(world: TenantsWorld, { query }: Call<unknown, ListQuery, unknown>) {
  const { rows, next } = await pageFrom({ limit: DEFAULT_LIMIT, ...query }, world.tenants.list);
  return { tenants: rows.map(shown), ...next };
}

async function govern(world: TenantsWorld, { params, body, now }: Call<{ id: string }, unknown, Patch>): Promise<Tenant> {
  if (body.plan !== undefined && !world.plans.has(body.plan)) throw unknownPlan(world.plans);
  const changed = await world.tenants.govern(params.id, body, now);
  world.onTenantChanged(params.id);
  return shown(changed);
}

function unknownPlan(plans: Plans) {
  const names = [...plans.keys()].join(', ');
  return refusal('VALIDATION_FAILED', { reason: { en: `plan is not one of ${names}`, id: `plan bukan salah satu dari ${names}` } });
}

function shown(row: TenantRow | null): Tenant {
  if (!row) throw refusal('NOT_FOUND');
  const { _id: id, name, phone, plan, suspended, created_at, updated_at } = row;
  return { id, name, phone, country: row.profile.country, timezone: row.profile.timezone, plan, suspended, created_at, updated_at };
}
