import assert from 'node:assert/strict';
import { it } from 'node:test';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aWebhookFixture, type Fixture, fixtureOf } from '../webhooks/webhooks-fixture.ts';

const MINUTE = 60_000;
const SESSION = ['session.connected', 'session.disconnected', 'session.alert', 'qr.generated'];

const reasonsOf = ({ receiver }: Fixture): readonly string[] => receiver.of('session.disconnected').map(({ body }) => body.data.reason);

/** A process that dies between an answer and noting it delivers again, under the same id. */
const alertsOf = ({ receiver }: Fixture): number => new Set(receiver.of('session.alert').map(({ body }) => body.id)).size;

eachStore("a device's session events", (kind) => {
  it('include each QR code and the connection', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, api, receiver, subscribe } = fixture;
    await subscribe(SESSION);
    const { body } = await api('POST', '/v1/sessions', {});
    await api('POST', `/v1/sessions/${body.id}/connect`);
    const shown = await gateway.until('a code', async () => (await api('GET', `/v1/sessions/${body.id}/qr`)).body.qr);
    await gateway.until('it is told', () => receiver.of('qr.generated').length === 1);
    const [code] = receiver.of('qr.generated');
    assert.equal(code?.body.data.qr, shown);
    assert.ok(code?.body.data.expires_at > gateway.clock.now());

    gateway.sandbox.phone('6281100000002').scan({ qr: shown });
    await gateway.until('it is online', () => receiver.of('session.connected').length === 1);
    const [online] = receiver.of('session.connected');
    assert.deepEqual([online?.body.session_id, online?.body.data.phone_number], [body.id, '6281100000002']);
    assert.deepEqual(Object.keys(online?.body.data), ['phone_number', 'wa_name']);
  });

  for (const [fault, reason] of [
    ['drop', 'status_428'],
    ['logout', 'logged_out'],
    ['ban', 'banned'],
    ['replaced', 'status_440'],
  ] as const) {
    it(`include the reason for going offline: ${reason}`, async (t) => {
      const fixture = await aWebhookFixture(t, kind);
      await fixture.subscribe(SESSION);
      fixture.gateway.sandbox.device(PHONE).fault({ kind: fault });
      await fixture.gateway.until('it is told', () => reasonsOf(fixture).length === 1);
      assert.deepEqual(reasonsOf(fixture), [reason]);
      if (fault === 'drop') await fixture.gateway.until('it is back', () => fixture.receiver.of('session.connected').length === 1);
    });
  }

  it('include only one logout when the device is deleted, even after a crash', async (t) => {
    const before = await aWebhookFixture(t, kind);
    const { acme, device, receiver } = before;
    await before.subscribe(SESSION);
    const second = await acme.linked('6281100000002');
    await devicesIn(before.gateway.store).depart(acme.id, device.id, before.gateway.clock.now());
    const fixture = fixtureOf(await before.gateway.crash(), acme, device, receiver);
    await fixture.gateway.until('it is told', () => reasonsOf(fixture).length === 1);
    assert.equal((await fixture.api('GET', device.path)).body.status, 'failed');
    assert.equal((await fixture.api('DELETE', device.path)).status, 200);

    assert.equal((await fixture.api('DELETE', second.path)).status, 200);
    await fixture.gateway.until('the second is told of', () => reasonsOf(fixture).length === 2);
    await fixture.gateway.clock.advance(6 * MINUTE);
    assert.deepEqual(reasonsOf(fixture), ['logged_out', 'logged_out']);
    assert.deepEqual(
      receiver.of('session.disconnected').map(({ body }) => body.session_id),
      [device.id, second.id],
    );
    assert.equal(receiver.of('session.alert').length, 0);
  });

  it('include only one alert per outage of more than five minutes, even after two crashes', async (t) => {
    let fixture = await aWebhookFixture(t, kind);
    const { acme, device, receiver } = fixture;
    const crash = async () => fixtureOf(await fixture.gateway.crash(), acme, device, receiver);
    await fixture.subscribe(SESSION);
    await fixture.api('POST', `${device.path}/disconnect`);
    await fixture.gateway.until('it is told', () => reasonsOf(fixture).length === 1);
    const since = receiver.of('session.disconnected')[0]?.body.occurred_at;
    await fixture.gateway.clock.advance(2 * MINUTE);
    fixture = await crash();
    await fixture.gateway.clock.advanceTo(since + 5 * MINUTE - 1);
    assert.equal(receiver.of('session.alert').length, 0);
    await fixture.gateway.until('the alert', () => receiver.of('session.alert').length === 1);
    const { data } = receiver.of('session.alert')[0]?.body ?? {};
    assert.deepEqual([data.disconnected_since, typeof data.type, typeof data.message], [since, 'string', 'string']);
    assert.ok(data.duration_ms >= 5 * MINUTE && data.duration_ms < 6 * MINUTE);

    fixture = await crash();
    await fixture.gateway.clock.advance(12 * MINUTE);
    assert.equal(alertsOf(fixture), 1);
    await fixture.api('POST', `${device.path}/connect`);
    await fixture.gateway.until('it is online', () => receiver.of('session.connected').length === 1);
    await fixture.api('POST', `${device.path}/disconnect`);
    await fixture.gateway.until('the alert of the second outage', () => alertsOf(fixture) === 2);
  });

  it('include no alert for an outage that ends within five minutes', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    await fixture.subscribe(SESSION);
    fixture.gateway.sandbox.device(PHONE).fault({ kind: 'drop' });
    await fixture.gateway.until('it is back', () => fixture.receiver.of('session.connected').length === 1);
    await fixture.gateway.clock.advance(6 * MINUTE);
    assert.equal(fixture.receiver.of('session.alert').length, 0);
  });
});
