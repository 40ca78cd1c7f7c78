import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createForgottenSweep } from '../../../../actors/services/messaging/forgotten-sweep.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const NOW = Date.UTC(2026, 0, 15);
const HOUR = 3_600_000;
const MINUTE = 60_000;

const timesOf = (hours: number) => ({ created_at: NOW - hours * HOUR, claimed_at: NOW - hours * HOUR });

eachStore('an in-flight message of a device that does not return', (kind) => {
  it('fails after a day, even if there are many such devices', async (t) => {
    const messages = messagesIn(await kind.fresh(t));
    const device = (nth: number): string => `device${String(nth).padStart(3, '0')}`;
    const onWire = (session_id: string, _id: string, hours: number, more: object = {}) =>
      messages.accept(
        aMessageRow({ ...{ _id, session_id, net_id: _id, status: 'sending', outbox_pending: false }, ...timesOf(hours), ...more }),
      );
    for (let nth = 0; nth < 600; nth += 1) await onWire(device(nth), `m${nth}`, nth % 2 === 0 ? 30 : 20);
    await onWire(device(0), 'sent', 30, { status: 'sent' });
    const sweep = createForgottenSweep({ messages });
    for (const _pass of [1, 2]) await sweep(NOW);
    for (const nth of [0, 1, 298, 299, 598, 599]) {
      const row = await messages.ours(device(nth), `m${nth}`);
      const ended = [row?.status, row?.error, row?.outbox_pending];
      assert.deepEqual(ended, nth % 2 === 0 ? ['failed', 'unknown_outcome', true] : ['sending', null, false], `${nth}`);
    }
    assert.equal((await messages.ours(device(0), 'sent'))?.status, 'sent');
  });

  it('does not delay an erasure of its recipient', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const device = await linked(PHONE);
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: HOUR });
    const id = await device.text(ANNA, 'Hello');
    await gateway.clock.advance(2_000);
    await gateway.during(api('POST', `${device.path}/disconnect`));
    const erasure = (await api('POST', '/v1/privacy/erasures', { phone: `+${ANNA}`, confirm: true })).body;
    const { status } = await device.message(id);
    assert.equal(status, 'queued');
    for (let minute = 0; minute < 10; minute += 1) await gateway.clock.advance(MINUTE);
    assert.equal((await api('GET', `/v1/privacy/erasures/${erasure.id}`)).body.status, 'done');
    assert.equal((await api('GET', `${device.path}/messages/${id}`)).status, 404);
  });
});
