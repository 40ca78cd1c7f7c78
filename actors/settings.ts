import type { Settings, TenantRow, Tenants } from '../store/tenants.ts';
import { refusal } from './refusals.ts';

type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: DeepPartial<T[K]> } : T;

/** What `PUT /v1/settings` takes: any part of the settings. */
export type SettingsPatch = DeepPartial<Settings>;

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const WORKING_DAYS = [1, 2, 3, 4, 5];

/** What a tenant has that never saved any (api.md "Tenant"). */
export const DEFAULT_SETTINGS: Settings = {
  send_window: { enabled: true, start: '08:00', end: '20:00', days: EVERY_DAY, zone: 'business' },
  welcome: { enabled: false, text: null },
  away: { enabled: false, text: null, hours: { start: '09:00', end: '17:00', days: WORKING_DAYS } },
  pacing: { min_delay_ms: 1_000, max_delay_ms: 3_000, typing: false },
  warmup: { enabled: false, days: 7 },
};

/** The settings in force. */
export const settingsOf = (tenant: Pick<TenantRow, 'settings'>): Settings => merged(DEFAULT_SETTINGS, tenant.settings);

const TRIES = 5;

/** Changes the named parts only. Refuses VALIDATION_FAILED when the whole would make no sense, CONFLICT when too many change it at once. */
export async function changeSettings(tenants: Tenants, tenantId: string, patch: SettingsPatch, now: number): Promise<Settings> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const tenant = await tenants.find(tenantId);
    if (!tenant) throw refusal('NOT_FOUND');
    const settings = sensible(merged(settingsOf(tenant), patch));
    if (await tenants.saveSettings(tenantId, tenant.settings_revision, settings, now)) return settings;
  }
  throw refusal('CONFLICT');
}

function merged(settings: Settings, patch: SettingsPatch): Settings {
  return {
    send_window: { ...settings.send_window, ...patch.send_window },
    welcome: { ...settings.welcome, ...patch.welcome },
    away: { ...settings.away, ...patch.away, hours: { ...settings.away.hours, ...patch.away?.hours } },
    pacing: { ...settings.pacing, ...patch.pacing },
    warmup: { ...settings.warmup, ...patch.warmup },
  };
}

/** The rules that need more than one field to judge. */
function sensible(settings: Settings): Settings {
  const { send_window, welcome, away, pacing } = settings;
  if (pacing.min_delay_ms > pacing.max_delay_ms)
    throw senseless('pacing.min_delay_ms is more than max_delay_ms', 'pacing.min_delay_ms melebihi max_delay_ms');
  if (send_window.start === send_window.end) throw senseless('send_window.start and end are the same', 'send_window.start dan end sama');
  if (away.hours.start === away.hours.end) throw senseless('away.hours.start and end are the same', 'away.hours.start dan end sama');
  if (welcome.enabled && !welcome.text)
    throw senseless('welcome.text is required to enable it', 'welcome.text wajib diisi untuk mengaktifkan');
  if (away.enabled && !away.text) throw senseless('away.text is required to enable it', 'away.text wajib diisi untuk mengaktifkan');
  return settings;
}

const senseless = (en: string, id: string) => refusal('VALIDATION_FAILED', { reason: { en, id } });
