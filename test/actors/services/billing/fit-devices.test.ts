import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DeviceCommand } from '../../../../actors/device/protocol.ts';
import { refusal } from '../../../../actors/domain/refusals.ts';
import { fitDevices } from '../../../../actors/services/billing/fit-devices.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import type { ActorRef } from '../../../../runtime/actor-system/actor.ts';
import { type DeviceRow, devicesIn } from '../../../../store/devices/devices.ts';
import type { Store } from '../../../../store/port.ts';
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

eachStore('devices that a plan has no room for, and has again', (kind) => {
  for (const isMade of [false, true])
    it(`are online as they were, whichever write the process dies at (${isMade ? 'after' : 'before'} it)`, async (t) => {
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

  it('stay to be connected while one does not answer, which holds up no other', async (t) => {
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
});
