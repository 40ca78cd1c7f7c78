import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { createSending } from '../../../../actors/services/messaging/sending.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { LANES, messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aConsentFixture } from './consent-fixture.ts';

const BEN = '6281211110002';
const out = { status: 'opted_out' };

eachStore('a message to an opted-out person', (kind) => {
  it('is accepted with a warning, however it is sent', async (t) => {
    const { gateway, api, device } = await aConsentFixture(t, kind);
    await api('PUT', `/v1/consent/%2B${ANNA}`, out);
    const send = (to: string) => ({ chat_id: to, type: 'text', body: 'Hi' });
    const one = (await api('POST', `${device.path}/messages`, send(ANNA))).body;
    assert.deepEqual(
      one.warnings.map(({ code }: { code: string }) => code),
      ['RECIPIENT_OPTED_OUT'],
    );
    assert.equal((await api('POST', `${device.path}/messages`, send(BEN))).body.warnings, undefined);
    const { results } = (await api('POST', `${device.path}/messages/bulk`, { messages: [send(ANNA), send(BEN)] })).body;
    assert.deepEqual(
      results.map(({ warnings = [] }: { warnings?: unknown[] }) => warnings.length),
      [1, 0],
    );
    const forwarded = await api('POST', `${device.path}/messages/${one.id}/forward`, { chat_id: ANNA });
    assert.equal(forwarded.body.warnings.length, 1);
    await gateway.store
      .collection({ name: 'messages', indexes: [] })
      .updateMany({ _id: forwarded.body.id }, { $set: { status: 'failed' } });
    assert.equal((await api('POST', `${device.path}/messages/${forwarded.body.id}/retry`)).body.warnings?.length, 1);
  });

  it('is rejected if the tenant enforces consent, however it is sent', async (t) => {
    const { api, device } = await aConsentFixture(t, kind);
    const id = await device.text(BEN, 'Hi');
    await api('PUT', '/v1/consent/config', { enforce_api: true });
    await api('PUT', `/v1/consent/%2B${ANNA}`, out);
    const refused = async (path: string, body: object) => {
      const answer = await api('POST', `${device.path}${path}`, body);
      return [answer.status, answer.body.code ?? answer.body.results?.[0].code];
    };
    const text = { chat_id: ANNA, type: 'text', body: 'Hi' };
    assert.deepEqual(await refused('/messages', text), [409, 'RECIPIENT_OPTED_OUT']);
    assert.deepEqual(await refused('/messages/bulk', { messages: [text] }), [202, 'RECIPIENT_OPTED_OUT']);
    assert.deepEqual(await refused(`/messages/${id}/forward`, { chat_id: ANNA }), [409, 'RECIPIENT_OPTED_OUT']);
    assert.equal((await api('GET', `${device.path}/messages?chat_id=${ANNA}`)).body.messages.length, 0);
  });
});

eachStore('a queued marketing message', (kind) => {
  it('is cancelled if its own recipient sends STOP, and its quota is refunded', async (t) => {
    const { gateway, acme, device, write, becomes, api } = await aConsentFixture(t, kind);
    const { store, clock } = gateway;
    const [messages, usage] = [messagesIn(store), usageIn(store)];
    const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
    const sending = createSending({ messages, quota, queueLimit: 100, hint() {} });
    const row = (await devicesIn(store).find(acme.id, device.id))!;
    const plan = plansFrom({}).get('free')!;
    const order = { message_type: 'text', body: 'Sale!', parts: {}, quotes: null, priority: 0 } as const;
    const toAnna = { ...order, chat: `${ANNA}@s.whatsapp.net` };
    const far = newDevice(acme.id, null, null, clock.now());
    await devicesIn(store).create(far);
    const accept = async (on: typeof row, sent: Parameters<typeof sending.accept>[2]) =>
      (await gateway.during(sending.accept(on, plan, sent, clock.now()))).id;
    const campaign = await accept(far, { ...toAnna, lane: LANES.campaign });
    const recurring = await accept(far, { ...toAnna, lane: LANES.scheduled, origin: { kind: 'recurring', id: 'r1' } });
    const reminder = await accept(far, { ...toAnna, lane: LANES.scheduled, origin: { kind: 'scheduled', id: 's1' } });
    const toBen = await accept(far, { ...order, chat: `${BEN}@s.whatsapp.net`, lane: LANES.campaign });
    const month = new Date(clock.now()).toISOString().slice(0, 7);
    const before = await usage.messages(acme.id, month);

    write(ANNA, 'STOP');
    await becomes(ANNA, 'opted_out');
    await gateway.until(
      'it is settled',
      async () => (await store.collection({ name: 'consents', indexes: [] }).countDocuments({ outbox_pending: true })) === 0,
    );
    const stands = async (id: string) => {
      const row = await messages.find(acme.id, far._id, id);
      return [row?.status, row?.error];
    };
    assert.deepEqual(await Promise.all([campaign, recurring, reminder, toBen].map(stands)), [
      ['failed', 'opted_out'],
      ['failed', 'opted_out'],
      ['queued', null],
      ['queued', null],
    ]);
    // Two given back, and the confirmation taken.
    await gateway.until('the quota is back', async () => (await usage.messages(acme.id, month)) === before - 2 + 1);

    // A row that a campaign stored a moment too late is stopped where it leaves the queue.
    const late = await accept(row, { ...toAnna, lane: LANES.campaign });
    const fine = await accept(row, { ...order, chat: `${BEN}@s.whatsapp.net`, lane: LANES.campaign });
    await gateway.until('Ben has his', async () => (await device.message(fine)).status === 'read');
    assert.deepEqual([(await device.message(late)).status, (await device.message(late)).error], ['failed', 'opted_out']);
    await gateway.until('that one is given back, too', async () => (await usage.messages(acme.id, month)) === before);
    assert.equal((await api('GET', '/v1/consent')).body.summary.opted_out, 1);
  });
});
