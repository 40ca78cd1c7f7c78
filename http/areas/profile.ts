import Joi from 'joi';
import { isCountry, isTimezone } from '../../actors/countries.ts';
import { type BusinessProfile, INDUSTRIES, LOCALES, toBusinessProfile } from '../../actors/profile.ts';
import { refusal } from '../../actors/refusals.ts';
import type { Profile, TenantRow, Tenants } from '../../store/tenants.ts';
import { type Area, type Call, rowsFor } from '../row.ts';

export interface ProfileWorld {
  readonly tenants: Tenants;
  /** Makes this node's gate forget what it believes of the tenant (its calling code). */
  invalidate(tenantId: string): void;
  /** The zone and language that running devices and waiting blasts go by may have changed. */
  onSettingsChanged(tenantId: string): void;
}

const Country = Joi.string().length(2).example('ID');
const Text = Joi.string().allow(null);
const Names = Joi.array().items(Joi.string());
const Shown = Joi.any().strip().description('Computed; what is sent here is ignored');

const ProfileSchema = Joi.object<BusinessProfile>({
  business_name: Text.required(),
  country: Country.required(),
  timezone: Joi.string().required(),
  locale: Joi.string()
    .valid(...LOCALES)
    .required(),
  industry: Text.required(),
  currency: Joi.string().valid('IDR', 'USD').required(),
  configured: Joi.boolean().required(),
  calling_code: Joi.string().allow('').required(),
  suggested_timezones: Names.required(),
  industries: Names.required(),
  locales: Names.required(),
}).meta({ title: 'BusinessProfile' });

type Patch = Partial<Omit<Profile, 'configured'>>;

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
  currency: Joi.string().valid('IDR', 'USD'),
  configured: Shown,
  calling_code: Shown,
  suggested_timezones: Shown,
  industries: Shown,
  locales: Shown,
});

const row = rowsFor<ProfileWorld>();

export const profile: Area<ProfileWorld> = {
  name: 'profile',
  about: 'What the business is: country, time zone, language, industry',
  rows: [
    row({
      id: 'getProfile',
      method: 'GET',
      path: '/v1/profile',
      summary: 'The business profile',
      access: 'bearer',
      status: 200,
      returns: ProfileSchema,
      run: async ({ tenants }, { caller }) => shown(await tenants.find(caller.tenantId)),
    }),
    row({
      id: 'putProfile',
      method: 'PUT',
      path: '/v1/profile',
      summary: 'Save the business profile; any subset of its fields',
      access: 'bearer',
      agents: false,
      body: PatchSchema,
      status: 200,
      returns: ProfileSchema,
      run: save,
    }),
  ],
};

async function save(world: ProfileWorld, { caller, body, now }: Call<unknown, unknown, Patch>): Promise<BusinessProfile> {
  const tenant = await world.tenants.saveProfile(caller.tenantId, { ...body, configured: true }, now);
  world.invalidate(caller.tenantId);
  world.onSettingsChanged(caller.tenantId);
  return shown(tenant);
}

function shown(tenant: TenantRow | null): BusinessProfile {
  if (!tenant) throw refusal('NOT_FOUND');
  return toBusinessProfile(tenant);
}
