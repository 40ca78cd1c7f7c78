import type { Settings, Tenants } from '../../../store/accounts/tenants.ts';
import { CHANGED_MEANWHILE, type Fault, invalid, refusal } from '../../domain/refusals.ts';
import { merged, type SettingsPatch, settingsOf } from '../../domain/settings.ts';

const TRIES = 20;

export async function changeSettings(tenants: Tenants, tenantId: string, patch: SettingsPatch, now: number): Promise<Settings> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const tenant = await tenants.find(tenantId);
    if (!tenant) throw refusal('NOT_FOUND');
    const settings = sensible(merged(settingsOf(tenant), patch));
    if (await tenants.saveSettings(tenantId, tenant.settings_revision, settings, now)) return settings;
  }
  throw refusal('CONFLICT', { reason: CHANGED_MEANWHILE });
}

function sensible(settings: Settings): Settings {
  const { send_window, welcome, away, pacing } = settings;
  const faults: Fault[] = [];
  const wrong = (path: string, en: string, id: string): void => void faults.push({ path, en, id });
  if (pacing.min_delay_ms > pacing.max_delay_ms)
    wrong('pacing.min_delay_ms', 'pacing.min_delay_ms is more than max_delay_ms', 'pacing.min_delay_ms melebihi max_delay_ms');
  if (send_window.start === send_window.end)
    wrong('send_window.end', 'send_window.start and end are the same', 'send_window.start dan end sama');
  if (away.hours.start === away.hours.end)
    wrong('away.hours.end', 'away.hours.start and end are the same', 'away.hours.start dan end sama');
  if (welcome.enabled && !welcome.text)
    wrong('welcome.text', 'welcome.text is required to enable it', 'welcome.text wajib diisi untuk mengaktifkan');
  if (away.enabled && !away.text) wrong('away.text', 'away.text is required to enable it', 'away.text wajib diisi untuk mengaktifkan');
  if (faults.length > 0) throw invalid(faults);
  return settings;
}
