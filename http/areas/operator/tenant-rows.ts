import Joi from 'joi';
import type { Plans } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type OperatorCall, rowsFor } from '../../core/row.ts';
import { Before, beforeId, Ulid } from '../../core/schemas.ts';

export interface TenantsServices {
  readonly tenants: Tenants;
  readonly plans: Plans;
  /** The operator changed its plan or suspended it: the gate and what runs of the tenant have to hear of it. */
  onTenantChanged(tenantId: string): void;
  /** Gives the tenant a plan without an end. */
  givePlan(tenantId: string, plan: string): Promise<void>;
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
  phone: Joi.string().required().description('Digits with the country code, no `+`'),
  country: Joi.string().required(),
  timezone: Joi.string().required(),
  plan: Joi.string().required(),
  suspended: Joi.boolean().required(),
  created_at: Time.required(),
  updated_at: Time.required(),
}).meta({ title: 'Tenant' });

const row = rowsFor<TenantsServices>();

export const tenants: Area<TenantsServices> = {
  name: 'tenants',
  about: 'Tenants, for the platform operator',
  rows: [
    row({
      id: 'listTenants',
      method: 'GET',
      path: '/v1/admin/tenants',
      summary: 'List tenants, newest first',
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
      summary: 'Get a tenant',
      access: 'operator',
      params: one,
      status: 200,
      returns: TenantSchema,
      refuses: ['NOT_FOUND'],
      run: async (services, { params }) => shown(await services.tenants.find(params.id)),
    }),
    row({
      id: 'patchTenant',
      method: 'PATCH',
      path: '/v1/admin/tenants/{id}',
      summary: 'Change the plan of a tenant, without an end, suspend or reinstate it. Takes effect on all nodes within 5 seconds',
      audit: { action: 'tenant.update' },
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

async function list(services: TenantsServices, { query }: OperatorCall<unknown, ListQuery, unknown>) {
  const { rows, next } = await pageFrom({ limit: DEFAULT_LIMIT, ...query }, services.tenants.list);
  return { tenants: rows.map(shown), ...next };
}

async function govern(services: TenantsServices, { params, body, now }: OperatorCall<{ id: string }, unknown, Patch>): Promise<Tenant> {
  if (body.plan !== undefined && !services.plans.has(body.plan)) throw unknownPlan(services.plans);
  const { plan, suspended } = body;
  if (plan !== undefined) await services.givePlan(params.id, plan);
  const changed =
    suspended === undefined ? await services.tenants.find(params.id) : await services.tenants.govern(params.id, { suspended }, now);
  services.onTenantChanged(params.id);
  return shown(changed);
}

function unknownPlan(plans: Plans) {
  const names = [...plans.keys()].join(', ');
  return refusal('VALIDATION_FAILED', {
    field: 'plan',
    reason: { en: `plan is not one of ${names}`, id: `plan bukan salah satu dari ${names}` },
  });
}

function shown(row: TenantRow | null): Tenant {
  if (!row) throw refusal('NOT_FOUND');
  const { _id: id, name, phone, plan, suspended, created_at, updated_at } = row;
  return { id, name, phone, country: row.profile.country, timezone: row.profile.timezone, plan, suspended, created_at, updated_at };
}
