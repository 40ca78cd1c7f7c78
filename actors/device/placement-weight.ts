import type { WantedActor } from '../../runtime/cluster/cluster-actors.ts';
import { weightOf } from '../../runtime/placement/placement.ts';
import type { DevicePlacement } from '../../store/devices/device-directory.ts';
import { deviceActorId } from './actor-id.ts';

const FRESH_MS = 600_000;

/** Returns a device's weight for rebalancing. A device is not moved while a phone is being linked. */
export function weigh({ _id, tenant_id, status, pairing, pinned_node, traffic }: DevicePlacement, now: number): WantedActor {
  return {
    id: deviceActorId(tenant_id, _id),
    weight: weightOf({ messagesPerMinute: now - traffic.at < FRESH_MS ? traffic.per_minute : 0 }),
    pinned: pinned_node,
    movable: pairing === null && status !== 'pending' && status !== 'qr_ready',
  };
}
