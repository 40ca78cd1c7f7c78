import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deviceActorId } from '../../../actors/device/actor-id.ts';
import type { Pacing } from '../../../actors/device/behaviour/facts.ts';
import { createPaceChanges } from '../../../actors/device/pace-changes.ts';
import type { DeviceCommand } from '../../../actors/device/protocol.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { pause } from '../../../runtime/clock.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

const MAILBOX = 10;
const SLOW: Pacing = { minDelayMs: 1_000, maxDelayMs: 2_000 };
const SLOWER: Pacing = { minDelayMs: 3_000, maxDelayMs: 4_000 };

it("a new pace reaches other devices immediately, even while one device's mailbox is full", async () => {
  const { clock, fill, changed, paces, stored } = await aNode('acme', ['d1', 'd2', 'd3'], { told: () => fill('d1') });
  changed('acme');
  await clock.advance(0);
  assert.deepEqual(paces, { d2: [SLOW], d3: [SLOW] });
  stored.pacing = SLOWER;
  await clock.advance(10_000);
  assert.deepEqual(paces, { d1: [SLOWER], d2: [SLOW], d3: [SLOW] });
});

it('a new pace does not wake a stopped device', async () => {
  const { clock, system, fill, changed, paces } = await aNode('acme', ['d1'], { told: () => fill('d1') });
  changed('acme');
  await clock.advance(0);
  await system.stop('device', deviceActorId('acme', 'd1'));
  await clock.advance(60_000);
  assert.deepEqual([paces, system.present('device'), clock.pending], [{}, [], 0]);
});

it('the later of two concurrent pace changes wins, however long each read takes', async () => {
  const readMs = [2_000, 0];
  const { clock, changed, paces, stored } = await aNode('acme', ['d1'], { read: () => pause(clock, readMs.shift() ?? 0) });
  changed('acme');
  stored.pacing = SLOWER;
  changed('acme');
  await clock.advance(10_000);
  assert.deepEqual(paces['d1']?.at(-1), SLOWER);
});

it("a new pace applies only to its own tenant's devices", async () => {
  const { clock, changed, paces } = await aNode('acme', ['d1']);
  changed('acm');
  changed('other');
  await clock.advance(60_000);
  assert.deepEqual(paces, {});
});

interface Meanwhile {
  /** While the settings are read. */
  read?(): unknown;
  /** Just before devices are told. */
  told?(): void;
}

/** A node with devices that only note their pace. */
async function aNode(tenant: string, devices: readonly string[], meanwhile: Meanwhile = {}) {
  const stored = { pacing: SLOW };
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
  const pacingOf = async (): Promise<Pacing> => {
    const read = stored.pacing;
    await meanwhile.read?.();
    return read;
  };
  const awake = (kind: string): readonly string[] => {
    meanwhile.told?.();
    return system.awake(kind);
  };
  const actors = { awake, isAwake: system.isAwake.bind(system), ref: system.ref.bind(system) };
  const changed = createPaceChanges({ actors, clock, pacingOf, failed: (cause) => assert.fail(String(cause)) });
  return { clock, system, fill, changed, paces, stored };
}
