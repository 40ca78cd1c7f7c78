import type { TenantRow } from '../../../store/accounts/tenants.ts';
import { OF_THE_BUSINESS } from '../../domain/phone-zones.ts';
import { settingsOf } from '../../domain/settings.ts';
import { closesAt, isOpen, opensAt } from '../../domain/zones.ts';

export interface ZonedWindow {
  readonly open: readonly string[];
  readonly closed: readonly string[];
  readonly closesAt: number | null;
  isClosed(zone: string): boolean;
  opensAt(zones: readonly string[]): number | null;
}

export function windowNow(tenant: TenantRow, zones: readonly string[], now: number): ZonedWindow | null {
  const { enabled, zone: whose, ...hours } = settingsOf(tenant).send_window;
  if (!enabled) return null;
  const clockOf = (zone: string): string => (whose === 'business' || zone === OF_THE_BUSINESS ? tenant.profile.timezone : zone);
  const isClosed = (zone: string): boolean => !isOpen(hours, clockOf(zone), now);
  const open = zones.filter((zone) => !isClosed(zone));
  return {
    open,
    closed: zones.filter(isClosed),
    closesAt: earliest(open.map(clockOf), (zone) => closesAt(hours, zone, now)),
    isClosed,
    opensAt: (some) => earliest(some.map(clockOf), (zone) => opensAt(hours, zone, now)),
  };
}

function earliest(zones: readonly string[], momentOf: (zone: string) => number): number | null {
  const moments = [...new Set(zones)].map(momentOf);
  return moments.length === 0 ? null : Math.min(...moments);
}
