import type { Tagged } from '../../runtime/actor-system/behaviour.ts';
import type { ClusteredKind } from '../../runtime/cluster/cluster-actors.ts';
import { memberOf } from '../../runtime/shapes.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';
import { DRAIN_ORDER } from '../drain-order.ts';
import { QUESTIONS } from '../network/questions.ts';
import { deviceOfActor } from './actor-id.ts';
import { device } from './behaviour/device.ts';
import { type DeviceFacts, type Installed, loginOf, type Pacing, settingsOf } from './behaviour/facts.ts';
import type { DeviceDeps } from './effects/deps.ts';
import { DeviceEffects } from './effects/device-effects.ts';
import { weigh } from './placement-weight.ts';
import { DEVICE_EFFECTS, type DeviceCommand, type DeviceEffect, type DeviceEvent, type DeviceState } from './protocol.ts';

export type DeviceKind = ClusteredKind<DeviceFacts, DeviceState, DeviceCommand, DeviceEvent, DeviceEffect>;

export function deviceKind(deps: DeviceDeps): DeviceKind {
  return {
    behaviour: device,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 300_000,

    async wake(id) {
      const { tenantId, sessionId } = deviceOfActor(id);
      const row = await deps.devices.own(tenantId, sessionId, deps.node);
      if (!row) return null;
      const facts = factsOf(row, await deps.pacingOf(tenantId), deps);
      // The refused build is no longer in use, so the device need not wait for its retry time.
      const isNewBuild =
        row.reason === 'client_outdated' && row.client_version !== (await deps.builds.current().catch(() => row.client_version));
      return isNewBuild ? { ...facts, retryAt: null } : facts;
    },

    effectScopes: DEVICE_EFFECTS,
    effectHandler: (_id, self, facts, lease) => new DeviceEffects(deps, facts, self, lease),
    lost: { type: 'fenced' },

    drainOrder: DRAIN_ORDER.device,
    drain: (actor, must, timeoutMs) => actor.ask({ type: 'drain', must }, timeoutMs),
    isOnce: isChange,
    async wanted() {
      const placements = await Promise.all([deps.deviceDirectory.wanted(), deps.deviceDirectory.unpublished()]);
      return placements.flat().map((placement) => weigh(placement, deps.clock.now()));
    },
  };
}

/** Whether the command changes something on the network. Such commands are never retried. */
function isChange(command: Tagged): boolean {
  const name = memberOf(memberOf(command, 'question'), 'name');
  return typeof name === 'string' && memberOf(QUESTIONS, name) === 'change';
}

function factsOf(row: DeviceRow, pacing: Pacing, installed: Installed): DeviceFacts {
  const { phone_number, wanted, status, reconnects, unpublished = false } = row;
  const owner = { tenantId: row.tenant_id, sessionId: row._id, epoch: row.epoch };
  const {
    linked_at: linkedAt = null,
    groups_listed_at: groupsListedAt = null,
    warmup_until_ms: warmupUntil,
    restriction = null,
    slowed = null,
  } = row;
  const pace = { linkedAt, groupsListedAt, warmupUntil, restriction, slowed };
  const shown = { status, reason: row.reason, retryAt: row.retry_at ?? null };
  return {
    owner,
    credentials: loginOf(row),
    phone: phone_number,
    moving: row.moving ?? null,
    wanted,
    ...shown,
    ...settingsOf(row, pacing, installed),
    ...pace,
    reconnects,
    unpublished,
  };
}
