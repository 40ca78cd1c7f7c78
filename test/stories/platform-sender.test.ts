import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSender, PLATFORM } from '../../actors/sender.ts';
import { devicesIn } from '../../store/devices.ts';
import { eachStore } from '../support/stores.ts';

eachStore("the platform's sender", (kind) => {
  it('is one device, however many ask for it first at the same time', async (t) => {
    const store = await kind.fresh(t);
    const devices = devicesIn(store);
    await store.prepare();
    const nobody = () => {
      throw new Error('no actor is asked here');
    };
    const senders = [1, 2].map(() => createSender({ devices, now: () => 1_767_225_600_000, device: nobody }));
    const found = await Promise.all([...senders, ...senders].map((sender) => sender.find()));
    assert.equal(new Set(found.map(({ _id, secret }) => `${_id} ${secret}`)).size, 1);
    assert.equal(await devices.count(PLATFORM), 1);
  });
});
