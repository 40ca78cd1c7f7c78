import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deviceActorId } from '../../../actors/device/actor-id.ts';
import type { Pacing } from '../../../actors/device/behaviour/facts.ts';
import { createPaceChanges } from '../../../actors/device/pace-changes.ts';
import type { DeviceCommand } from '../../../actors/device/protocol.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

const MAILBOX = 10;
const SLOW: Pacing = { minDelayMs: 1_000, maxDelayMs: 2_000 };
const SLOWER: Pacing = { minDelayMs: 3_000, maxDelayMs: 4_000 };

it('a device with a full mailbox keeps no other from the new pace, and gets the one of the settings as soon as it can', async () => {
  const { clock, fill, changed, paces } = await aNode('acme', ['d1', 'd2', 'd3']);
  fill('d1');
  changed('acme', SLOW);
  await clock.advance(0);
  assert.deepEqual(paces, { d2: [SLOW], d3: [SLOW] });
  await clock.advance(10_000);
  assert.deepEqual(paces, { d1: [SLOWER], d2: [SLOW], d3: [SLOW] });
});

it('a device that is gone by then is not woken for it', async () => {
  const { clock, system, fill, changed, paces } = await aNode('acme', ['d1']);
  fill('d1');
  changed('acme', SLOW);
  await system.stop('device', deviceActorId('acme', 'd1'));
  await clock.advance(60_000);
  assert.deepEqual([paces, system.present('device'), clock.pending], [{}, [], 0]);
});

it('a new pace is for the devices of one tenant', async () => {
  const { clock, changed, paces } = await aNode('acme', ['d1']);
  changed('acm', SLOW);
  changed('other', SLOW);
  await clock.advance(60_000);
  assert.deepEqual(paces, {});
});

/** A node with devices that only note their pace; the settings have changed once more since. */
async function aNode(tenant: string, devices: readonly string[]) {
  const clock = new VirtualClock();
  const system = new ActorSystem(clock);
  const paces: Record<string, Pacing[]> = {};
  system.register<string, string, DeviceCommand, never, never>({
    behaviour: {
      kind: 'device',
      start: (id) => [id],
      handle(id, msg) {
        const device = id.slice(tenant.length + 1);
        if (msg.type === 'pace') paces[device] = [...(paces[device] ?? []), msg.pacing];
        return [id];
      },
    },
    policy: { restart: 'transient', atMost: 1, withinMs: 1_000, backoffMs: () => 10 },
    mailboxLimit: MAILBOX,
    wake: (id) => id,
    effectHandler: () => ({ perform() {} }),
  });
  const ids = devices.map((device) => deviceActorId(tenant, device));
  for (const id of ids) system.wake('device', id);
  await clock.advance(0);
  const fill = (device: string): void => {
    const ref = system.ref<DeviceCommand>('device', deviceActorId(tenant, device));
    for (let nth = 0; nth < MAILBOX; nth += 1) ref.tell({ type: 'workArrived' });
  };
  const changed = createPaceChanges({ actors: system, clock, pacingOf: async () => SLOWER, failed: (cause) => assert.fail(String(cause)) });
  return { clock, system, fill, changed, paces };
}
