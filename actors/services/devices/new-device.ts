import { randomBytes } from 'node:crypto';
import { newId } from '../../../runtime/ids.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';

export function newDevice(tenantId: string, name: string | null, proxyUrl: string | null, now: number): DeviceRow {
  return {
    _id: newId(now),
    tenant_id: tenantId,
    name,
    status: 'pending',
    phone_number: null,
    wa_name: null,
    wa_about: null,
    proxy_url: proxyUrl,
    ignore: { groups: false, channels: false },
    warmup_until_ms: null,
    created_at: now,
    connected_at: null,
    last_seen_at: null,
    wanted: false,
    qr: null,
    pairing: null,
    reason: null,
    reconnects: [],
    secret: randomBytes(32).toString('base64url'),
    credentials: null,
    epoch: 0,
    node: null,
    pinned_node: null,
    traffic: { per_minute: 0, at: now },
  };
}
