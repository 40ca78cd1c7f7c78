import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DeviceCommand } from '../../../../actors/device/protocol.ts';
import { refusal } from '../../../../actors/domain/refusals.ts';
import { fitDevices } from '../../../../actors/services/billing/fit-devices.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { createRemovedDevices } from '../../../../actors/services/messaging/removed-devices.ts';
import type { ActorRef } from '../../../../runtime/actor-system/actor.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { type DeviceRow, devicesIn } from '../../../../store/devices/devices.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { aLog } from '../../../support/log.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';

/** Devices do what they are asked for by their rows; the `busy` ones refuse. */
function fitting(store: Store, busy: readonly string[] = []) {
  const devices = devicesIn(store);
  const device = ({ _id, tenant_id }: Pick<DeviceRow, '_id' | 'tenant_id'>) =>
    ({
      async ask({ type }: { type: string }) {
        if (busy.includes(_id)) throw refusal('OVERLOADED');
        await devices.write(tenant_id, _id, 0, { wanted: type === 'connect' });
        return null;
      },
    }) as unknown as ActorRef<DeviceCommand>;
  return (tenant: string, room: number) => fitDevices({ devices, device }, tenant, room);
}

/** One that is online, and two that are newer: one online, one that its owner took offline. */
async function threeDevices(store: Store, tenant: string): Promise<readonly string[]> {
  const devices = devicesIn(store);
  const rows = [true, true, false].map((wanted, nth) => ({ ...newDevice(tenant, null, null, nth), wanted }));
  for (const row of rows) await devices.create(row);
  return rows.map(({ _id }) => _id);
}

/** What is done for a device that is deleted, where two have room; the `busy` ones refuse. */
function removing(store: Store, clock: VirtualClock, busy: readonly string[] = []) {
  const [devices, messages, usage] = [devicesIn(store), messagesIn(store), usageIn(store)];
  const deps = { store, devices, messages, usage, sending: { hint: () => undefined }, outboxHandlers: [], clock, log: aLog().log };
  return createRemovedDevices({ ...deps, forgetWebhooks: async () => {}, fitDevices: (tenant) => fitting(store, busy)(tenant, 2) });
}

const shown = async (store: Store, tenant: string) =>
  (await devicesIn(store).list(tenant, null)).toReversed().map(({ wanted, paused }) => [wanted, paused ?? null]);

const FREE = [
  [true, null],
  [false, { wanted: true }],
  [false, { wanted: false }],
];
const PAID = [
  [true, null],
  [true, null],
  [false, null],
];

eachStore('devices that a downgrade paused and an upgrade resumed', (kind) => {
  for (const isMade of [false, true])
    it(`are online again after a crash ${isMade ? 'after' : 'before'} any write`, async (t) => {
      const store = await kind.fresh(t);
      await store.prepare();
      for (let write = 1; ; write += 1) {
        const tenant = `t${write}`;
        await threeDevices(store, tenant);
        const mortal = mortalStore(store, { write, isMade });
        const fit = fitting(mortal.store);
        const life = async () => {
          await fit(tenant, 1);
          await fit(tenant, 3);
        };
        await life().catch(() => undefined);
        await fitting(store)(tenant, 3);
        assert.deepEqual(await shown(store, tenant), PAID, `at write ${write}`);
        if (!mortal.isDead()) break;
      }
    });

  it('are all scheduled to connect, even if one of them does not respond', async (t) => {
    const store = await kind.fresh(t);
    await store.prepare();
    const [oldest = '', second = ''] = await threeDevices(store, 't');
    await fitting(store)('t', 0);
    await assert.rejects(fitting(store, [oldest])('t', 3), { code: 'OVERLOADED' });
    const [busy, ...others] = PAID;
    assert.deepEqual(await shown(store, 't'), [[false, { wanted: true }], ...others]);
    await fitting(store)('t', 3);
    assert.deepEqual(await shown(store, 't'), [busy, ...others]);
    await assert.rejects(fitting(store, [second])('t', 0), { code: 'OVERLOADED' });
    await fitting(store)('t', 1);
    assert.deepEqual(await shown(store, 't'), FREE);
  });

  it('are connected eight at a time, so unresponsive ones delay the others only once', async (t) => {
    const store = await kind.fresh(t);
    await store.prepare();
    const devices = devicesIn(store);
    for (let nth = 0; nth < 20; nth += 1) await devices.create({ ...newDevice('t', null, null, nth), wanted: true });
    let [asked, most] = [0, 0];
    const eight = Promise.withResolvers<void>();
    const device = () =>
      ({
        async ask() {
          asked += 1;
          most = Math.max(most, asked);
          if (asked === 8) eight.resolve();
          await eight.promise;
          asked -= 1;
          throw refusal('OVERLOADED');
        },
      }) as unknown as ActorRef<DeviceCommand>;
    await assert.rejects(fitDevices({ devices, device }, 't', 0), { code: 'OVERLOADED' });
    await assert.rejects(fitDevices({ devices, device }, 't', 20), { code: 'OVERLOADED' });
    assert.equal(most, 8);
  });

  for (const [what, deleted] of [
    ['the process crashed during the deletion', async () => undefined],
    [
      'the deleted device did not respond at first',
      (store, clock, [oldest = '', , last = '']) => removing(store, clock, [last]).finish({ _id: oldest, tenant_id: 't' }),
    ],
  ] as const satisfies readonly (readonly [string, (store: Store, clock: VirtualClock, ids: readonly string[]) => Promise<void>])[])
    it(`are online again after another one is deleted, even if ${what}`, async (t) => {
      const [store, clock] = [await kind.fresh(t), new VirtualClock()];
      await store.prepare();
      const ids = await threeDevices(store, 't');
      await fitting(store)('t', 1);
      await devicesIn(store).remove('t', ids[0] ?? '', clock.now());
      await deleted(store, clock, ids);
      await clock.advance(180_000);
      await removing(store, clock).finishAll();
      const [, ...others] = PAID;
      assert.deepEqual(await shown(store, 't'), others);
    });
});
