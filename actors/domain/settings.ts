import type { Settings, TenantRow } from '../../store/accounts/tenants.ts';

type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: DeepPartial<T[K]> } : T;

export type SettingsPatch = DeepPartial<Settings>;

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const WORKING_DAYS = [1, 2, 3, 4, 5];

export const DEFAULT_SETTINGS: Settings = {
  send_window: { enabled: true, start: '08:00', end: '20:00', days: EVERY_DAY, zone: 'business' },
  welcome: { enabled: false, text: null },
  away: { enabled: false, text: null, hours: { start: '09:00', end: '17:00', days: WORKING_DAYS } },
  pacing: { min_delay_ms: 1_000, max_delay_ms: 3_000, typing: false },
  warmup: { enabled: false, days: 7 },
};

export const settingsOf = (tenant: Pick<TenantRow, 'settings'>): Settings => merged(DEFAULT_SETTINGS, tenant.settings);

export function merged(settings: Settings, patch: SettingsPatch): Settings {
  return {
    send_window: { ...settings.send_window, ...patch.send_window },
    welcome: { ...settings.welcome, ...patch.welcome },
    away: { ...settings.away, ...patch.away, hours: { ...settings.away.hours, ...patch.away?.hours } },
    pacing: { ...settings.pacing, ...patch.pacing },
    warmup: { ...settings.warmup, ...patch.warmup },
  };
}
