import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../../../actors/network/sandbox/addresses.ts';
import type { ConsentRow } from '../../../../store/consent/consent-row.ts';
import { ANNA, type Gateway } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aConsentFixture } from './consent-fixture.ts';

const consentsOf = ({ store }: Gateway) => store.collection<ConsentRow>({ name: 'consents', indexes: [] });

eachStore('a person with a hidden number', (kind) => {
  it('stays opted out when the number becomes known', async (t) => {
    const { gateway, api, device, write, of, becomes } = await aConsentFixture(t, kind);
    const anna = gateway.sandbox.phone(ANNA);
    anna.set({ lid: true, tellsNumber: false });
    write(ANNA, 'STOP');
    const [hidden] = await gateway.until('it is received', async () => {
      const { consent } = (await api('GET', '/v1/consent?status=opted_out')).body;
      return consent.length === 1 && consent;
    });
    assert.deepEqual([hidden.phone, hidden.lid, hidden.chat_id], [null, lidOf(ANNA), lidOf(ANNA)]);
    const file: string = (await api('GET', '/v1/consent/export')).body;
    assert.match(file, new RegExp(`^"","opted_out","keyword",.*,"${lidOf(ANNA)}",""$`, 'm'));
    const toHidden = { chat_id: hidden.chat_id, type: 'text', body: 'Hi' };
    assert.equal((await api('POST', `${device.path}/messages`, toHidden)).body.warnings.length, 1);
    assert.equal((await of(ANNA)).current, null);

    anna.set({ tellsNumber: true });
    write(ANNA, 'It was me');
    await becomes(ANNA, 'opted_out');
    const { summary, consent } = (await api('GET', '/v1/consent')).body;
    assert.deepEqual([summary.opted_out, consent.length, consent[0].phone], [1, 1, ANNA]);
    assert.equal((await api('POST', `${device.path}/messages`, toHidden)).body.warnings.length, 1);
    assert.equal((await of(ANNA)).history.length, 1);
  });

  it('cannot opt in a number with a START written before the network linked them', async (t) => {
    const { gateway, api, write, of, becomes, device } = await aConsentFixture(t, kind);
    const anna = gateway.sandbox.phone(ANNA);
    write(ANNA, 'STOP');
    await becomes(ANNA, 'opted_out');
    anna.set({ lid: true, tellsNumber: false });
    await gateway.clock.advance(1_000);
    write(ANNA, 'START');
    const hidden = async () => (await api('GET', `/v1/consent/history/${lidOf(ANNA)}`)).body.current;
    await gateway.until('a hidden person opted in', async () => (await hidden())?.status === 'opted_in');

    anna.set({ tellsNumber: true });
    const isOne = async () => (await api('GET', '/v1/consent')).body.consent.length === 1;
    await gateway.until('they are one person', isOne);
    assert.equal((await of(ANNA)).current.status, 'opted_out');
    const sent = await api('POST', `${device.path}/messages`, { chat_id: lidOf(ANNA), type: 'text', body: 'Hi' });
    assert.equal(sent.body.warnings[0].code, 'RECIPIENT_OPTED_OUT');
    await gateway.clock.advance(1_000);
    write(ANNA, 'START');
    await becomes(ANNA, 'opted_in');
  });

  it('can be opted out and in under either address once the number is known', async (t) => {
    const { gateway, api, write, of, device } = await aConsentFixture(t, kind);
    const anna = gateway.sandbox.phone(ANNA);
    anna.set({ lid: true, tellsNumber: true });
    write(ANNA, 'Hello');
    await gateway.until('she is known', async () => (await api('GET', `${device.path}/chats/${ANNA}`)).status === 200);
    const lid = lidOf(ANNA);
    const out = await api('PUT', `/v1/consent/${lid}`, { status: 'opted_out' });
    assert.deepEqual([out.status, out.body.changed, out.body.consent.phone], [200, true, ANNA]);
    const sent = await api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi' });
    assert.deepEqual(
      sent.body.warnings.map(({ code }: { code: string }) => code),
      ['RECIPIENT_OPTED_OUT'],
    );
    const history = (await api('GET', `/v1/consent/history/${lid}`)).body;
    assert.deepEqual([history.phone, history.current.status, history.history.length], [ANNA, 'opted_out', 1]);

    const phones = [lid, ANNA, 'nobody'];
    const many = (await api('POST', '/v1/consent/bulk', { phones, status: 'opted_in' })).body;
    assert.deepEqual(many, {
      changed: 1,
      unchanged: 1,
      invalid: 1,
      opt_outs_lifted: 1,
      invalid_numbers: [{ index: 2, value: 'nobody', reason: 'invalid_number' }],
    });
    assert.equal((await of(ANNA)).current.status, 'opted_in');
    assert.equal((await api('GET', '/v1/consent')).body.consent.length, 1);
  });

  it('is found by number if an earlier version stored the opt-out under the hidden address', async (t) => {
    const { gateway, api, write, of, device } = await aConsentFixture(t, kind);
    const lid = lidOf(ANNA);
    await api('PUT', `/v1/consent/${lid}`, { status: 'opted_out', note: 'called us' });
    const [old] = await consentsOf(gateway).find({}).toArray();
    assert.ok(old?.subject === lid);
    gateway.sandbox.phone(ANNA).set({ lid: true, tellsNumber: true });
    write(ANNA, 'Hello');
    await gateway.until('she is known', async () => (await api('GET', `${device.path}/chats/${ANNA}`)).status === 200);
    let at = old.updated_at;
    const strand = async () => {
      at += 3_600_000;
      await consentsOf(gateway).insertOne({ ...old, updated_at: at, said_at: at, outbox: [], outbox_pending: false });
    };
    const people = async () => (await api('GET', '/v1/consent')).body.consent.map(({ phone }: { phone: string }) => phone);

    assert.equal((await api('PUT', `/v1/consent/${ANNA}`, { status: 'opted_in' })).body.consent.status, 'opted_in');
    await strand();
    const { phone, current } = (await api('GET', `/v1/consent/history/${lid}`)).body;
    assert.deepEqual([phone, current.status, current.note], [ANNA, 'opted_out', 'called us']);
    assert.deepEqual(await people(), [ANNA]);

    assert.equal((await api('PUT', `/v1/consent/${ANNA}`, { status: 'opted_in' })).body.changed, true);
    await strand();
    assert.equal((await api('PUT', `/v1/consent/${lid}`, { status: 'opted_in' })).body.changed, true);
    assert.deepEqual(await people(), [ANNA]);

    await strand();
    const many = await api('POST', '/v1/consent/bulk', { phones: [lid], status: 'opted_in' });
    assert.deepEqual(many.body, { changed: 1, unchanged: 0, invalid: 0, opt_outs_lifted: 1, invalid_numbers: [] });
    assert.deepEqual([await people(), (await of(ANNA)).current.status], [[ANNA], 'opted_in']);
  });
});
