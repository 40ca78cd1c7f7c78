import { randomBytes } from 'node:crypto';
import { newDevice } from '../../actors/services/devices/new-device.ts';
import { fingerprint } from '../../http/auth/tokens.ts';
import { systemClock } from '../../runtime/clock.ts';
import { newId } from '../../runtime/ids.ts';
import { apiKeysIn } from '../../store/accounts/api-keys.ts';
import { type TenantRow, tenantsIn } from '../../store/accounts/tenants.ts';
import { type DeviceRow, devicesIn } from '../../store/devices/devices.ts';
import type { Store } from '../../store/port.ts';

/** A limit that is never reached, so that no refusals distort the measurement. Usage is still counted. */
export const PLENTY = 1_000_000_000;

export async function aTenant(store: Store, phone = '6281100000001'): Promise<TenantRow> {
  const now = systemClock.now();
  const tenant: TenantRow = {
    _id: newId(now),
    name: 'Bench',
    phone,
    plan: 'bench',
    suspended: false,
    profile: {
      business_name: 'Bench',
      country: 'ID',
      timezone: 'Asia/Jakarta',
      locale: 'en',
      industry: null,
      currency: 'IDR',
      configured: true,
    },
    settings: {
      pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false },
      send_window: { enabled: false, start: '00:00', end: '23:59', days: [0, 1, 2, 3, 4, 5, 6], zone: 'business' },
    },
    settings_revision: 0,
    created_at: now,
    updated_at: now,
  };
  await tenantsIn(store).create(tenant);
  return tenant;
}

export async function anApiKey(store: Store, tenantId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const now = systemClock.now();
  const row = {
    _id: newId(now),
    tenant_id: tenantId,
    name: 'bench',
    prefix: secret.slice(0, 8),
    hash: fingerprint(secret),
    session_ids: null,
    scopes: ['read', 'send', 'manage'],
    allowed_ips: null,
    rate_limit_per_minute: PLENTY,
    last_used_at: null,
    created_at: now,
    expires_at: null,
    revoked_at: null,
  } as const;
  await apiKeysIn(store).createWithin(row, PLENTY, now);
  return secret;
}

/** Creates a device that is online only according to its row. Its messages are accepted but not sent. */
export async function aDevice(store: Store, tenantId: string): Promise<DeviceRow> {
  const device: DeviceRow = {
    ...newDevice(tenantId, 'bench', null, systemClock.now()),
    status: 'connected',
    phone_number: '6281100000002',
  };
  await devicesIn(store).create(device);
  return device;
}
