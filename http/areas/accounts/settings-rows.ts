import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { DEFAULT_SETTINGS, type SettingsPatch, settingsOf } from '../../../actors/domain/settings.ts';
import { changeSettings } from '../../../actors/services/accounts/settings.ts';
import type { Settings, Tenants } from '../../../store/accounts/tenants.ts';
import { type Area, type Call, rowsFor } from '../../core/row.ts';
import { TokenWarnings, tokenWarnings } from '../token-warnings.ts';

export interface SettingsServices {
  readonly tenants: Tenants;
  onSettingsChanged(tenantId: string): void;
}

const LONGEST_DELAY_MS = 600_000;

const Flag = Joi.boolean();
const Time = Joi.string()
  .pattern(/^([01]\d|2[0-3]):[0-5]\d$/)
  .example('08:00');
const Days = Joi.array()
  .items(Joi.number().integer().min(0).max(6))
  .min(1)
  .max(7)
  .unique()
  .description('Days of the week, 0 = Sunday')
  .example([1, 2, 3, 4, 5]);
const Text = Joi.string().max(4_096).allow(null, '').example('Hi {{first_name|there}}!');
const DelayMs = Joi.number().integer().min(0).max(LONGEST_DELAY_MS);

const Zone = Joi.string()
  .valid('business', 'recipient')
  .description(
    'Whose time zone applies: `business`, or `recipient` (by the country of each number). New accounts start with `recipient`. Accounts from before version 0.2 keep `business` until you change it',
  );

type Presence = (schema: Joi.Schema) => Joi.Schema;

function shapeOf(name: string, is: Presence): Joi.ObjectSchema {
  const part = (fields: Readonly<Record<string, Joi.Schema>>): Joi.Schema =>
    is(Joi.object(Object.fromEntries(Object.entries(fields).map(([field, schema]) => [field, is(schema)]))));

  return Joi.object({
    send_window: part({ enabled: Flag, start: Time, end: Time, days: Days, zone: Zone }),
    welcome: part({ enabled: Flag, text: Text }),
    away: part({ enabled: Flag, text: Text, hours: part({ start: Time, end: Time, days: Days }) }),
    pacing: part({ min_delay_ms: DelayMs, max_delay_ms: DelayMs, typing: Flag }),
    warmup: part({ enabled: Flag, days: Joi.number().integer().min(1).max(90) }),
  }).meta({ title: name });
}

const PatchSchema: Joi.ObjectSchema<SettingsPatch> = shapeOf('SettingsPatch', (schema) => schema.optional());
const SettingsSchema: Joi.ObjectSchema<Settings> = shapeOf('Settings', (schema) => schema.required())
  .append({ warnings: TokenWarnings })
  .example(DEFAULT_SETTINGS);

const row = rowsFor<SettingsServices>();

export const settings: Area<SettingsServices> = {
  name: 'settings',
  about: 'Send window, welcome and away texts, pacing and warm-up',
  rows: [
    row({
      id: 'getSettings',
      method: 'GET',
      path: '/v1/settings',
      summary: 'Get the current settings',
      access: 'bearer',
      deviceKeys: true,
      status: 200,
      returns: SettingsSchema,
      run: (services, { caller }) => read(services, caller.tenantId),
    }),
    row({
      id: 'putSettings',
      method: 'PUT',
      path: '/v1/settings',
      summary: 'Update the settings',
      example: { send_window: { enabled: true, start: '08:00', end: '20:00', days: [1, 2, 3, 4, 5, 6] } },
      about: 'Omitted fields are unchanged. Changes apply to running devices and waiting campaigns at once',
      audit: { action: 'settings.update', on: 'tenants' },
      stepUp: { none: 'grants no access and moves no data' },
      access: 'bearer',
      body: PatchSchema,
      status: 200,
      returns: SettingsSchema,
      refuses: ['CONFLICT'],
      run: save,
    }),
  ],
};

async function read({ tenants }: SettingsServices, tenantId: string): Promise<Settings> {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw refusal('NOT_FOUND');
  return settingsOf(tenant);
}

async function save(services: SettingsServices, { caller, body, lang, now }: Call<unknown, unknown, SettingsPatch>): Promise<Settings> {
  const saved = await changeSettings(services.tenants, caller.tenantId, body, now);
  services.onSettingsChanged(caller.tenantId);
  return { ...saved, ...tokenWarnings(lang, body.welcome?.text, body.away?.text) };
}
