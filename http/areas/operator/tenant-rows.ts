import Joi from 'joi';
import type { Plans } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { HealthColor, HealthReason } from '../../../store/accounts/tenant-health.ts';
import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import type { AuditChange } from '../../../store/audit/entry.ts';
import { byCreation, type Place, readPage } from '../../../store/paging/page.ts';
import { operatorDraft } from '../../core/audited.ts';
import { nextOf } from '../../core/paging.ts';
import { type Area, type OperatorCall, rowsFor } from '../../core/row.ts';
import { beforeId, Ulid } from '../../core/schemas.ts';
import { HealthColorSchema, HealthReasonSchema } from './health-schemas.ts';

export interface TenantsServices {
  readonly audit: Pick<AuditTrail, 'command'>;
  readonly tenants: Tenants;
  readonly plans: Plans;
  invalidate(tenantId: string): void;
  /** Notifies campaigns and scheduled messages, because they stop while the tenant is suspended. */
  suspensionChanged(tenantId: string): Promise<void>;
  /** Gives the tenant a plan that does not expire. */
  givePlan(tenantId: string, plan: string): Promise<void>;
}

interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly country: string;
  readonly timezone: string;
  readonly plan: string;
  readonly suspended: boolean;
  readonly color: HealthColor;
  readonly reasons: readonly HealthReason[];
  readonly created_at: number;
  readonly updated_at: number;
}

interface ListQuery {
  limit?: number;
  before?: number;
  before_id?: string;
  q?: string;
  plan?: string;
  status?: 'active' | 'suspended';
  sort?: 'worst';
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
  color: HealthColorSchema.required().description('The health color of the worst device'),
  reasons: Joi.array().items(HealthReasonSchema).required().description('The two worst reasons for the color'),
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
      summary: 'List tenants',
      about: 'List tenants, newest first. With `sort=worst`, tenants with device problems come first',
      access: 'operator',
      query: Joi.object<ListQuery>({
        limit: Joi.number().integer().min(1).max(200),
        before: Joi.number().integer().min(0).empty(Joi.valid('null', '')).allow(null).description('`next_before` of the previous page'),
        before_id: beforeId(Ulid),
        q: Joi.string().max(64).description('Part of the name, or digits of the phone'),
        plan: Joi.string().max(64).description('A plan from the configuration'),
        status: Joi.string().valid('active', 'suspended'),
        sort: Joi.string().valid('worst'),
      }).with('before_id', 'before'),
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
      summary: 'Change a tenant',
      example: { plan: 'pro' },
      about:
        "Change a tenant's plan, without an end date, or suspend or reinstate the tenant. While a tenant is suspended, its campaigns and its scheduled and recurring messages are held back. Takes effect on all nodes within 5 seconds",
      audit: { action: 'tenant.update', own: true },
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
  const { limit = DEFAULT_LIMIT, before = null, before_id = null, sort, plan } = query;
  if (plan !== undefined && !services.plans.has(plan)) throw unknownPlan(services.plans);
  const [list, placeOf] = sort === 'worst' ? [services.tenants.worst, byRank] : [services.tenants.list, byCreation];
  const { entries, next } = await readPage({
    owner: 'operator',
    page: { limit, before, beforeId: before_id },
    list,
    placeOf,
    keep: keeping(query),
    show: (rows) => rows.map(shown),
  });
  return { tenants: entries, ...nextOf(next) };
}

const byRank = ({ health, _id }: TenantRow): Place => ({ at: health?.rank ?? 0, id: _id });

function keeping({ q, plan, status }: ListQuery): ((rows: readonly TenantRow[]) => readonly TenantRow[]) | null {
  if (q === undefined && plan === undefined && status === undefined) return null;
  const [part, digits] = [q?.toLowerCase() ?? '', q?.replace(/\D/g, '') ?? ''];
  const isNamed = ({ name, phone }: TenantRow): boolean => name.toLowerCase().includes(part) || (digits !== '' && phone.includes(digits));
  return (rows) =>
    rows.filter(
      (row) =>
        (q === undefined || isNamed(row)) &&
        (plan === undefined || row.plan === plan) &&
        (status === undefined || row.suspended === (status === 'suspended')),
    );
}

async function govern(services: TenantsServices, call: OperatorCall<{ id: string }, unknown, Patch>): Promise<Tenant> {
  const { params, body, now } = call;
  const { plan, suspended } = body;
  if (plan !== undefined && !services.plans.has(plan)) throw unknownPlan(services.plans);
  const tenant = await services.tenants.find(params.id);
  if (!tenant) throw refusal('NOT_FOUND');
  const draft = operatorDraft(call, 'tenant.update', { kind: 'tenant', id: tenant._id }, changesOf(tenant, body));
  const changed = await services.audit.command(draft, async () => {
    if (plan !== undefined) await services.givePlan(tenant._id, plan);
    if (suspended === undefined) return services.tenants.find(tenant._id);
    return services.tenants.govern(tenant._id, { suspended }, now);
  });
  services.invalidate(tenant._id);
  // Called even without a change, because an earlier call may have crashed before this notification.
  if (suspended !== undefined) await services.suspensionChanged(tenant._id);
  return shown(changed);
}

const changesOf = (tenant: TenantRow, patch: Patch): AuditChange[] =>
  (['plan', 'suspended'] as const).flatMap((field) => {
    const [from, to] = [tenant[field], patch[field]];
    return to === undefined || to === from ? [] : [{ field, from, to }];
  });

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
  const { country, timezone } = row.profile;
  const signs = row.health?.signs ?? [];
  const worst = signs.find(({ color }) => color === 'red') ?? signs.find(({ color }) => color === 'yellow');
  const { color = 'green', reasons = [] } = worst ?? {};
  return { id, name, phone, country, timezone, plan, suspended, color, reasons: reasons.slice(0, 2), created_at, updated_at };
}
