import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { DayFigures, Reports } from '../../../actors/services/analytics/report.ts';
import type { HealthWatch } from '../../../actors/services/health/tenant-health.ts';
import type { HealthSign } from '../../../store/accounts/tenant-health.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { type Area, type OperatorCall, rowsFor } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { HealthSignSchema } from './health-schemas.ts';

export interface HealthServices {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly devices: Pick<Devices, 'list'>;
  readonly reports: Reports;
  readonly healthWatch: HealthWatch;
}

interface Query {
  readonly days: 7 | 30 | 90;
}

const Count = Joi.number().integer().min(0).required();
const Text = Joi.string().allow(null).required();

const TenantHealthSchema = Joi.object({
  tenant_id: Ulid.required(),
  name: Joi.string().required(),
  days: Joi.number().valid(7, 30, 90).required(),
  timezone: Joi.string().required(),
  devices: Joi.array()
    .items(
      Joi.object({
        id: Ulid.required(),
        name: Text,
        phone: Text,
        status: Joi.string().valid('pending', 'qr_ready', 'connected', 'disconnected', 'failed').required(),
        connected_at: Timestamp.allow(null).required(),
        last_active_at: Timestamp.allow(null).required(),
        down: Joi.boolean().required().description('`disconnected` or `failed`'),
      }),
    )
    .required()
    .description('Oldest first'),
  totals: Joi.object({
    sent: Count,
    received: Count,
    failed: Count,
    delivered: Count,
    read: Count,
    failure_rate: Joi.number()
      .min(0)
      .max(1)
      .allow(null)
      .required()
      .description('Share of attempted sends that failed; null if nothing was sent'),
  }).required(),
  daily: Joi.array()
    .items(Joi.object({ date: Joi.string().isoDate().required(), sent: Count, received: Count, failed: Count }))
    .required(),
  signs: Joi.array().items(HealthSignSchema).required().description('Warning signs of the devices, worst first'),
}).meta({ title: 'AdminTenantHealth' });

const row = rowsFor<HealthServices>();

export const tenantHealth: Area<HealthServices> = {
  name: 'tenant health',
  about: 'Health of the devices of a tenant, with early signs of a ban by the network',
  rows: [
    row({
      id: 'getTenantHealth',
      method: 'GET',
      path: '/v1/admin/tenants/{id}/health',
      summary: "Get a tenant's health",
      about: 'Get the devices, traffic and warning signs of a tenant',
      access: 'operator',
      params: Joi.object<{ id: string }>({ id: Ulid.required().description('The tenant') }),
      query: Joi.object<Query>({ days: Joi.number().valid(7, 30, 90).default(7) }),
      status: 200,
      returns: TenantHealthSchema,
      refuses: ['NOT_FOUND'],
      run: shown,
    }),
  ],
};

async function shown(
  { tenants, devices, reports, healthWatch }: HealthServices,
  { params, query, now }: OperatorCall<{ id: string }, Query, unknown>,
) {
  const tenant = await tenants.find(params.id);
  if (!tenant) throw refusal('NOT_FOUND');
  const { _id: tenantId, name, profile } = tenant;
  const { days } = query;
  const [daily, own, health] = await Promise.all([
    reports.daily({ tenantId, zone: profile.timezone, days, now }),
    devices.list(tenantId, null),
    healthWatch.look(tenantId, now),
  ]);
  return {
    tenant_id: tenantId,
    name,
    days,
    timezone: profile.timezone,
    devices: own.toReversed().map((device) => shownDevice(device, now)),
    totals: totalsOf(daily),
    daily: daily.map(({ date, sent, received, failed }) => ({ date, sent, received, failed })),
    signs: worstFirst(health?.signs ?? []),
  };
}

const shownDevice = ({ _id, name, phone_number, status, connected_at, last_seen_at }: DeviceRow, now: number) => ({
  id: _id,
  name,
  phone: phone_number,
  status,
  connected_at,
  last_active_at: status === 'connected' ? now : last_seen_at,
  down: status === 'disconnected' || status === 'failed',
});

function totalsOf(daily: readonly DayFigures[]) {
  const sum = (field: Exclude<keyof DayFigures, 'date'>): number => daily.reduce((total, day) => total + day[field], 0);
  const [sent, failed] = [sum('sent'), sum('failed')];
  return {
    sent,
    received: sum('received'),
    failed,
    delivered: sum('delivered'),
    read: sum('read'),
    failure_rate: sent + failed === 0 ? null : Math.round((failed / (sent + failed)) * 1_000) / 1_000,
  };
}

const ORDER = { red: 0, yellow: 1, green: 2 } as const;
const worstFirst = (signs: readonly HealthSign[]): HealthSign[] => signs.toSorted((one, other) => ORDER[one.color] - ORDER[other.color]);
