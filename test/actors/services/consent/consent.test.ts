import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DEFAULT_CONFIG } from '../../../../actors/services/consent/config.ts';
import { confirmationOf } from '../../../../actors/services/consent/confirm.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aConsentFixture, peopleOf } from './consent-fixture.ts';

const STOPPED = confirmationOf('opted_out', 'id', DEFAULT_CONFIG);
const BEN = '6281211110002';
const OTHER_PHONE = '6281100000002';
const A_WHILE_MS = 600_000;

const statusOf = ({ status }: { status: string }): string => status;

eachStore('consent', (kind) => {
  it('is withdrawn by STOP and given by START, and each is confirmed only once', async (t) => {
    const { write, becomes, receives, received, of, quiet } = await aConsentFixture(t, kind);
    write(ANNA, 'STOP');
    await becomes(ANNA, 'opted_out');
    assert.deepEqual(await receives(ANNA, 1), [STOPPED]);
    write(ANNA, 'mulai 🙏');
    await becomes(ANNA, 'opted_in');
    await receives(ANNA, 2);
    await quiet();
    assert.deepEqual(received(ANNA), [STOPPED, confirmationOf('opted_in', 'id', DEFAULT_CONFIG)]);
    const { phone, current, history } = await of(ANNA);
    assert.deepEqual([phone, current.phone, current.source, current.chat_id], [ANNA, ANNA, 'keyword', `${ANNA}@s.whatsapp.net`]);
    assert.deepEqual(
      history.map(({ status, source }: { status: string; source: string }) => [status, source]),
      [
        ['opted_in', 'keyword'],
        ['opted_out', 'keyword'],
      ],
    );
  });

  it('is unaffected by STOP in a group, or in a sentence that only mentions the word', async (t) => {
    const { gateway, write, of, device, api } = await aConsentFixture(t, kind);
    const group = gateway.sandbox.createGroup([ANNA, PHONE]);
    write(ANNA, "please don't stop");
    write(ANNA, 'STOP', group);
    await gateway.until('both are there', async () => (await api('GET', `${device.path}/messages`)).body.messages.length === 2);
    await gateway.clock.advance(5_000);
    assert.deepEqual(await of(ANNA), { phone: ANNA, lid: null, current: null, history: [] });
  });

  it("is changed by the tenant's own keywords, which the confirmations mention unless they are disabled", async (t) => {
    const { api, write, receives } = await aConsentFixture(t, kind);
    await api('PUT', '/v1/consent/config', { optout_keywords: ['stop'], optin_keywords: ['gabung', 'ikut'] });
    write(ANNA, 'stop');
    assert.match((await receives(ANNA, 1))[0] ?? '', /Balas GABUNG untuk/);
    write(ANNA, 'gabung');
    assert.match((await receives(ANNA, 2))[1] ?? '', /Balas STOP kapan saja/);
    await api('PUT', '/v1/consent/config', { optin_keywords: [] });
    write(ANNA, 'stop');
    assert.doesNotMatch((await receives(ANNA, 3))[2] ?? '', /Balas/);
  });

  it("is confirmed in the tenant's own words, or not at all if these are empty", async (t) => {
    const { api, write, becomes, received, receives, of, quiet } = await aConsentFixture(t, kind);
    const words = { optout_keywords: ['tidak mau'], optout_reply: 'Baik.', optin_reply: '' };
    assert.equal((await api('PUT', '/v1/consent/config', words)).body.optout_reply, 'Baik.');
    write(ANNA, 'Tidak mau!');
    await becomes(ANNA, 'opted_out');
    assert.deepEqual(await receives(ANNA, 1), ['Baik.']);
    write(ANNA, 'START');
    await becomes(ANNA, 'opted_in');
    write(ANNA, 'STOP');
    await quiet();
    assert.deepEqual([received(ANNA).length, (await of(ANNA)).current.status], [1, 'opted_in']);
    await api('PUT', '/v1/consent/config', { enabled: false });
    write(BEN, 'tidak mau');
    await quiet();
    assert.equal((await of(BEN)).current, null);
  });

  it("follows a person's latest message, even if it was sent while the device was offline", async (t) => {
    const { gateway, acme, write, becomes, of, quiet } = await aConsentFixture(t, kind);
    const away = await acme.linked(OTHER_PHONE);
    await acme.api('POST', `${away.path}/disconnect`);
    write(ANNA, 'START', OTHER_PHONE);
    write(BEN, 'STOP', OTHER_PHONE);
    await gateway.clock.advance(A_WHILE_MS);
    write(ANNA, 'STOP');
    write(BEN, 'START');
    await becomes(ANNA, 'opted_out');
    await becomes(BEN, 'opted_in');
    await gateway.clock.advance(A_WHILE_MS);
    write(BEN, 'START', OTHER_PHONE);

    await acme.api('POST', `${away.path}/connect`);
    const received = async () => (await acme.api('GET', `${away.path}/messages`)).body.messages;
    await gateway.until('what came meanwhile is there', async () => (await received()).length >= 3);
    await quiet();
    const [anna, ben] = [await of(ANNA), await of(BEN)];
    assert.deepEqual([anna.current.status, anna.history.length], ['opted_out', 1]);
    assert.deepEqual(ben.history.map(statusOf), ['opted_in', 'opted_out', 'opted_in']);
  });

  it('follows an edited message until a newer one arrives', async (t) => {
    const { gateway, write, becomes, receives, received, of, quiet } = await aConsentFixture(t, kind);
    const edit = (target: string, body: string) => gateway.sandbox.phone(ANNA).do({ to: PHONE, target, act: { kind: 'edited', body } });
    const { netId: first } = write(ANNA, 'START');
    await becomes(ANNA, 'opted_in');
    edit(first, 'STOP');
    await becomes(ANNA, 'opted_out');
    assert.equal((await receives(ANNA, 2))[1], STOPPED);
    edit(first, 'START');
    await becomes(ANNA, 'opted_in');
    write(ANNA, 'STOP');
    await becomes(ANNA, 'opted_out');
    edit(first, 'Stop it? No');
    await quiet();
    const { current, history } = await of(ANNA);
    assert.deepEqual([current.status, history.length, received(ANNA).length], ['opted_out', 4, 3]);
  });

  it('is confirmed only once, even if the process crashes and the message is processed again', async (t) => {
    const { gateway, acme, write, becomes, receives } = await aConsentFixture(t, kind);
    write(ANNA, 'STOP');
    await becomes(ANNA, 'opted_out');
    await receives(ANNA, 1);
    await gateway.store
      .collection({ name: 'messages', indexes: [] })
      .updateMany({ direction: 'inbound' }, { $set: { outbox_pending: true } });
    await gateway.store.collection({ name: 'consents', indexes: [] }).updateMany({}, { $set: { outbox_pending: true } });
    const restarted = await gateway.crash();
    const again = peopleOf(restarted, restarted.as(acme.tokens.token));
    write(BEN, 'Hi');
    await again.quiet();
    assert.deepEqual([again.received(ANNA).length, (await again.of(ANNA)).history.length], [1, 1]);
  });

  it('is no longer confirmed after a few changes, so that two machines cannot reply to each other forever', async (t) => {
    const { api, gateway, write, received, receives, quiet, of } = await aConsentFixture(t, kind);
    await api('PUT', '/v1/consent/config', { optout_reply: 'START', optin_reply: 'STOP' });
    for (let turn = 1; turn <= 5; turn += 1) {
      write(ANNA, turn % 2 === 1 ? 'STOP' : 'START');
      await gateway.until('it is received', async () => (await of(ANNA)).history.length === turn);
    }
    await receives(ANNA, 3);
    await quiet();
    assert.equal(received(ANNA).length, 3);
  });
});
