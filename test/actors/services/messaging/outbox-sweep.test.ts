import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOutboxSweep } from '../../../../actors/services/messaging/outbox-sweep.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const NOW = Date.UTC(2026, 0, 15);
/** More than one pass wakes. */
const DEVICES = 230;

eachStore('devices with a pending outbox', (kind) => {
  it('are each woken once over several passes, which do not wait for busy or stuck devices', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const devices = devicesIn(store);
    const device = (nth: number): string => `device${String(nth).padStart(3, '0')}`;
    const waiting = (nth: number, id: number) =>
      messages.accept(
        aMessageRow({ _id: `${nth}-${id}`, session_id: device(nth), tenant_id: `of ${nth}`, outbox_pending: true, created_at: 1 }),
      );
    for (let id = 0; id < 50; id += 1) await waiting(0, id);
    for (let nth = 1; nth < DEVICES; nth += 1) await waiting(nth, 0);
    await messages.accept(aMessageRow({ _id: 'done', session_id: 'device with nothing to tell', outbox_pending: false, created_at: 1 }));

    const woken: string[] = [];
    const pass = createOutboxSweep({ messages, devices, wakeDevice: ({ _id, tenant_id }) => void woken.push(`${_id} ${tenant_id}`) });
    await pass(NOW);
    assert.ok(woken.length < DEVICES, `${woken.length} were woken at once`);
    await pass(NOW);
    assert.deepEqual(
      woken,
      Array.from({ length: DEVICES }, (_, nth) => `${device(nth)} of ${nth}`),
    );
    await pass(NOW);
    assert.equal(woken[DEVICES], `${device(0)} of 0`);
  });
});
