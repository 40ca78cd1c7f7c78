import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import { CURRENCIES } from '../../../actors/domain/billing/money.ts';
import { isCountry, isTimezone } from '../../../actors/domain/countries.ts';
import { invalid, refusal } from '../../../actors/domain/refusals.ts';
import { type BusinessProfile, INDUSTRIES, LOCALES, toBusinessProfile } from '../../../actors/services/accounts/profile.ts';
import type { Profile, TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import { type Area, type Call, rowsFor } from '../../core/row.ts';

export interface ProfileServices {
  readonly tenants: Tenants;
  invalidate(tenantId: string): void;
  /** Notifies running devices and waiting campaigns, which depend on the time zone and language. */
  onSettingsChanged(tenantId: string): void;
}

const Country = Joi.string().length(2).example('ID');
const Text = Joi.string().allow(null);
const Names = Joi.array().items(Joi.string());
const COMPUTED = ['configured', 'calling_code', 'suggested_timezones', 'industries', 'locales'] as const;
const Shown = Joi.any().description('Computed by the gateway. In an update, omit it or send it unchanged');

const ProfileSchema = Joi.object<BusinessProfile>({
  business_name: Text.required(),
  country: Country.required(),
  timezone: Joi.string().required(),
  locale: Joi.string()
    .valid(...LOCALES)
    .required(),
  industry: Joi.string()
    .valid(...INDUSTRIES)
    .allow(null)
    .required(),
  currency: Joi.string()
    .valid(...CURRENCIES)
    .required(),
  configured: Joi.boolean().required(),
  calling_code: Joi.string().allow('').required(),
  suggested_timezones: Names.required(),
  industries: Names.required(),
  locales: Names.required(),
}).meta({ title: 'BusinessProfile' });

type Patch = Partial<Omit<Profile, 'configured'>> & Partial<Record<(typeof COMPUTED)[number], unknown>>;

const PatchSchema: Joi.ObjectSchema<Patch> = Joi.object({
  business_name: Joi.string().min(1).max(128).allow(null).example('Kopi Senja'),
  country: Country.custom((value: string, helpers) => (isCountry(value) ? value : helpers.error('any.invalid'))),
  timezone: Joi.string()
    .max(64)
    .custom((value: string, helpers) => (isTimezone(value) ? value : helpers.error('any.invalid')))
    .example('Asia/Jakarta'),
  locale: Joi.string().valid(...LOCALES),
  industry: Joi.string()
    .valid(...INDUSTRIES)
    .allow(null),
  currency: Joi.string().valid(...CURRENCIES),
  configured: Shown,
  calling_code: Shown,
  suggested_timezones: Shown,
  industries: Shown,
  locales: Shown,
});

const row = rowsFor<ProfileServices>();

export const profile: Area<ProfileServices> = {
  name: 'profile',
  about: 'The business profile: country, time zone, language, industry',
  rows: [
    row({
      id: 'getProfile',
      method: 'GET',
      path: '/v1/profile',
      summary: 'Get the business profile',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      status: 200,
      returns: ProfileSchema,
      run: async ({ tenants }, { caller }) => shown(await tenants.find(caller.tenantId)),
    }),
    row({
      id: 'putProfile',
      method: 'PUT',
      path: '/v1/profile',
      summary: 'Update the business profile',
      example: { business_name: 'Toko Acme', industry: 'retail', timezone: 'Asia/Jakarta' },
      about: 'Omitted fields are unchanged',
      audit: { action: 'profile.update', on: 'tenants' },
      stepUp: { none: 'grants no access and moves no data' },
      access: 'bearer',
      body: PatchSchema,
      status: 200,
      returns: ProfileSchema,
      run: save,
    }),
  ],
};

async function save(services: ProfileServices, { caller, body, now }: Call<unknown, unknown, Patch>): Promise<BusinessProfile> {
  const { configured: _c, calling_code: _cc, suggested_timezones: _z, industries: _i, locales: _l, ...fields } = body;
  const patch = { ...fields, configured: true };
  expectAsRead(body, await services.tenants.find(caller.tenantId), patch);
  const tenant = await services.tenants.saveProfile(caller.tenantId, patch, now);
  services.invalidate(caller.tenantId);
  services.onSettingsChanged(caller.tenantId);
  return shown(tenant);
}

/** Accepts unchanged computed fields, so that a client can send back a whole profile. */
function expectAsRead(body: Patch, tenant: TenantRow | null, patch: Partial<Profile>): void {
  if (!tenant) throw refusal('NOT_FOUND');
  const [now, then] = [toBusinessProfile(tenant), toBusinessProfile({ profile: { ...tenant.profile, ...patch } })];
  const isAsRead = (field: (typeof COMPUTED)[number]): boolean =>
    body[field] === undefined || isDeepStrictEqual(body[field], now[field]) || isDeepStrictEqual(body[field], then[field]);
  const faults = COMPUTED.filter((field) => !isAsRead(field)).map((path) => ({
    path,
    en: `${path} cannot be set: it is derived from ${path === 'calling_code' || path === 'suggested_timezones' ? 'country' : 'the service'}`,
    id: `${path} tidak dapat diubah: nilainya mengikuti ${path === 'calling_code' || path === 'suggested_timezones' ? 'country' : 'layanan'}`,
  }));
  if (faults.length > 0) throw invalid(faults);
}

function shown(tenant: TenantRow | null): BusinessProfile {
  if (!tenant) throw refusal('NOT_FOUND');
  return toBusinessProfile(tenant);
}
