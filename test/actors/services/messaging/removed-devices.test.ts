import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { createRemovedDevices } from '../../../../actors/services/messaging/removed-devices.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { aLog } from '../../../support/log.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const LATER_MS = 180_000;

interface RemovedRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly unfinished_at: number | null;
}

/** A device with a message on the wire; an earlier try to remove it was broken off, and it was linked again. */
async function aDeviceLinkedAgain(scope: Scope, kind: StoreKind) {
  const clock = new VirtualClock();
  const store = await kind.fresh(scope);
  const devices = devicesIn(store);
  const removed = store.collection<RemovedRow>({ name: 'removed_devices', indexes: [] });
  const messages = messagesIn(store);
  await store.prepare();
  const device = newDevice('t', null, null, clock.now());
  await devices.create(device);
  await messages.accept(aMessageRow({ _id: 'm', session_id: device._id, status: 'sending', created_at: clock.now() }));
  await removed.insertOne({ _id: device._id, tenant_id: 't', unfinished_at: clock.now() });
  await clock.advance(LATER_MS);
  const forgotten: string[] = [];
  return {
    clock,
    store,
    forgotten,
    removed: () => removed.findOne({ _id: device._id }),
    remove: () => devices.remove('t', device._id, clock.now()),
    status: async () => (await messages.find('t', device._id, 'm'))?.status,
    sweep: (seen: Store, forgetWebhooks = async (...which: readonly [string, string, number]) => void forgotten.push(which.join(' '))) => {
      const sending = { hint: () => undefined };
      const deps = { store: seen, devices: devicesIn(seen), messages: messagesIn(seen), usage: usageIn(seen), sending };
      return createRemovedDevices({
        ...deps,
        outboxHandlers: [],
        fitDevices: async () => {},
        forgetWebhooks,
        clock,
        log: aLog().log,
      }).finishAll();
    },
  };
}

eachStore('a device that is linked again after an interrupted removal', (kind) => {
  it('keeps its in-flight messages, and is checked again in the next sweep', async (t) => {
    const { clock, store, removed, status, sweep } = await aDeviceLinkedAgain(t, kind);
    await sweep(store);
    assert.deepEqual([await status(), (await removed())?.unfinished_at], ['sending', clock.now()]);
  });

  for (const [when, reading] of [
    ['the list of removed devices', { name: 'removed_devices', reading: 'find' }],
    ['the device', { name: 'devices', reading: 'findOne' }],
  ] as const)
    it(`is removed completely if a new removal starts right after a sweep has read ${when}`, async (t) => {
      const { clock, store, remove, removed, status, sweep, forgotten } = await aDeviceLinkedAgain(t, kind);
      await sweep(interruptedStore(store, reading, remove));
      assert.equal((await removed())?.unfinished_at, clock.now());
      // Its last owner may still write what the network said.
      assert.equal(await status(), 'sending');
      await clock.advance(LATER_MS);
      await sweep(store);
      // The device's webhooks still report the failure. The next pass removes them.
      assert.deepEqual([await status(), (await removed())?.unfinished_at, forgotten], ['failed', clock.now(), []]);
      await clock.advance(LATER_MS);
      await sweep(store, () => Promise.reject(new Error('the store is away')));
      assert.equal((await removed())?.unfinished_at, clock.now());
      await clock.advance(LATER_MS);
      await sweep(store);
      assert.deepEqual([(await removed())?.unfinished_at, forgotten], [null, [`t ${(await removed())?._id} ${clock.now()}`]]);
    });
});
