import type { LeasedKind } from '../../runtime/cluster/leased.ts';
import type { DeviceRow } from '../../store/devices.ts';
import { device } from './device.ts';
import { DeviceHands } from './hands.ts';
import type { DevicePorts } from './ports.ts';
import type { DeviceCommand, DeviceEffect, DeviceEvent, DeviceFacts, DeviceState, Pacing } from './protocol.ts';

export type DeviceKind = LeasedKind<DeviceFacts, DeviceState, DeviceCommand, DeviceEvent, DeviceEffect>;

/** The id of a device's actor: keys of actors contain the tenant. */
export const deviceActorId = (tenantId: string, sessionId: string): string => `${tenantId}.${sessionId}`;

export function deviceKind(ports: DevicePorts): DeviceKind {
  return {
    behaviour: device,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 300_000,

    async wake(id) {
      const [tenantId = '', sessionId = ''] = id.split('.');
      const row = await ports.devices.own(tenantId, sessionId, ports.node);
      if (!row) return null;
      return factsOf(row, await ports.pacingOf(tenantId));
    },

    hands: (_id, self, facts, lease) => new DeviceHands(ports, facts, self, lease),
    lost: { type: 'fenced' },
  };
}

function factsOf(row: DeviceRow, pacing: Pacing): DeviceFacts {
  const { credentials, phone_number, wanted, status, ignore, proxy_url, reconnects, untold = false } = row;
  const owner = { tenantId: row.tenant_id, sessionId: row._id, epoch: row.epoch };
  const { linked_at: linkedAt = null, warmup_until_ms: warmupUntil, restriction = null } = row;
  const pace = { pacing, linkedAt, warmupUntil, restriction };
  return { owner, credentials, phone: phone_number, wanted, status, ignore, proxyUrl: proxy_url, ...pace, reconnects, untold };
}
