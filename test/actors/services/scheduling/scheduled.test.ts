import assert from 'node:assert/strict';
import { it } from 'node:test';
import { consentConfigsIn } from '../../../../store/consent/consent-configs.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aSchedulingFixture, crashed, optOut, type SchedulingFixture, textsOn } from './scheduling-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Long enough to do other things before. */
const LATER = 10 * MINUTE;
const BEN = '6281211110002';

const schedule = ({ api, device }: SchedulingFixture, body: string, at: number, more: object = {}) =>
  api('POST', `${device.path}/scheduled`, { chat_id: `+${ANNA}`, type: 'text', body, scheduled_at: at, ...more });

const shown = async ({ api, device }: SchedulingFixture, id: string) => (await api('GET', `${device.path}/scheduled/${id}`)).body;

eachStore('a scheduled message', (kind) => {
  it('is sent at its scheduled time, and not before', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const at = gateway.clock.now() + LATER;
    const { status, body: made } = await schedule(fixture, 'Hello later', at);
    assert.equal(status, 201);
    assert.deepEqual(
      [made.chat_id, made.message_type, made.body, made.caption, made.scheduled_at, made.status, made.message_id],
      [`+${ANNA}`, 'text', 'Hello later', null, at, 'pending', null],
    );
    await gateway.clock.advanceTo(at - 1_000);
    assert.deepEqual([textsOn(gateway, ANNA), (await shown(fixture, made.id)).status], [[], 'pending']);
    await gateway.clock.advance(1_000);
    const sent = await gateway.until('it is sent', async () =>
      (await shown(fixture, made.id)).status === 'sent' ? shown(fixture, made.id) : null,
    );
    assert.deepEqual(textsOn(gateway, ANNA), ['Hello later']);
    const message = await device.message(sent.message_id);
    assert.equal(message.body, 'Hello later');
    assert.ok(Math.abs(message.sent_at - at) < 1_000, `${message.sent_at - at} ms late`);
    assert.deepEqual((await api('GET', `${device.path}/scheduled`)).body.scheduled, [sent]);
  });

  it('is sent on time after a restart, and late after downtime', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const at = fixture.gateway.clock.now() + LATER;
    await schedule(fixture, 'in time', at);
    await schedule(fixture, 'missed', at + LATER);
    const again = await crashed(fixture);
    await again.gateway.clock.advanceTo(at - 1_000);
    await again.gateway.clock.advance(3_000);
    assert.deepEqual(textsOn(again.gateway, ANNA), ['in time']);
    await again.gateway.clock.advance(MINUTE);
    again.gateway.clock.jump(5 * HOUR);
    const later = await crashed(again);
    await later.gateway.until('the missed one is sent', () => textsOn(later.gateway, ANNA).includes('missed'));
    await later.gateway.clock.advance(5 * MINUTE);
    assert.deepEqual(textsOn(later.gateway, ANNA), ['in time', 'missed']);
  });

  it('waits while its device is offline', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const { id } = (await schedule(fixture, 'patient', gateway.clock.now() + MINUTE)).body;
    await api('POST', `${device.path}/disconnect`);
    await gateway.clock.advance(5 * MINUTE);
    assert.equal((await shown(fixture, id)).status, 'sending');
    assert.equal((await api('DELETE', `${device.path}/scheduled/${id}`)).body.code, 'CONFLICT');
    assert.equal((await api('PATCH', `${device.path}/scheduled/${id}`, { body: 'x' })).body.code, 'CONFLICT');
    await api('POST', `${device.path}/connect`);
    await gateway.until('it is sent', async () => (await shown(fixture, id)).status === 'sent');
  });

  it('can be changed and cancelled while it is pending', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const at = gateway.clock.now() + LATER;
    const [first, second] = [(await schedule(fixture, 'one', at)).body, (await schedule(fixture, 'two', at)).body];
    const path = `${device.path}/scheduled/${first.id}`;
    const changed = await api('PATCH', path, { chat_id: BEN, body: 'one, changed', scheduled_at: at + LATER });
    assert.deepEqual(
      [changed.status, changed.body.chat_id, changed.body.body, changed.body.scheduled_at],
      [200, BEN, 'one, changed', at + LATER],
    );
    assert.equal((await api('PATCH', path, { type: 'location' })).body.code, 'VALIDATION_FAILED');
    assert.deepEqual((await api('DELETE', `${device.path}/scheduled/${second.id}`)).body, { ok: true });
    assert.equal((await api('GET', `${device.path}/scheduled/${second.id}`)).status, 404);
    await gateway.clock.advanceTo(at + MINUTE);
    assert.deepEqual([textsOn(gateway, ANNA), textsOn(gateway, BEN)], [[], []]);
    await gateway.clock.advanceTo(at + LATER + MINUTE);
    assert.deepEqual([textsOn(gateway, ANNA), textsOn(gateway, BEN)], [[], ['one, changed']]);
  });

  it('keeps all changes if several are made concurrently', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const at = gateway.clock.now() + LATER;
    const path = `${device.path}/scheduled/${(await schedule(fixture, 'one', at)).body.id}`;
    const changes = await Promise.all([{ chat_id: BEN }, { body: 'two' }, { priority: 3 }].map((patch) => api('PATCH', path, patch)));
    assert.deepEqual(
      changes.map(({ status }) => status),
      [200, 200, 200],
    );
    const { chat_id, body } = (await api('GET', path)).body;
    assert.deepEqual([chat_id, body], [BEN, 'two']);
    await gateway.clock.advanceTo(at + MINUTE);
    assert.deepEqual([textsOn(gateway, ANNA), textsOn(gateway, BEN)], [[], ['two']]);
  });

  it('can be changed to use another template, or a text of its own', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const template = async (name: string, body: string): Promise<string> =>
      (await api('POST', '/v1/templates', { name, message_type: 'text', body })).body.id;
    const [hello, bye] = [await template('hello', 'Hello {phone}'), await template('bye', 'Bye {phone}')];
    const asked = { chat_id: `+${ANNA}`, type: 'text', template_id: hello, scheduled_at: gateway.clock.now() + LATER };
    const made = (await api('POST', `${device.path}/scheduled`, asked)).body;
    const changedTo = async (patch: object) => (await api('PATCH', `${device.path}/scheduled/${made.id}`, patch)).body;
    assert.equal(made.body, `Hello +${ANNA}`);
    assert.equal((await changedTo({ chat_id: BEN })).body, `Hello +${BEN}`);
    assert.equal((await changedTo({ body: 'words' })).body, 'words');
    assert.equal((await changedTo({ template_id: bye })).body, `Bye +${BEN}`);
    assert.equal((await changedTo({ priority: 3 })).body, `Bye +${BEN}`);
    assert.equal((await changedTo({ template_id: bye, body: 'both' })).code, 'VALIDATION_FAILED');
    assert.equal((await changedTo({ template_id: made.id })).code, 'NOT_FOUND');
  });

  it('is rejected if its time is in the past or the far future', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const now = fixture.gateway.clock.now();
    for (const at of [now, now - 1, now + 3 * 366 * 24 * HOUR]) {
      const { status, body } = await schedule(fixture, 'never', at);
      assert.deepEqual([status, body.code], [400, 'VALIDATION_FAILED']);
    }
  });

  it('fails for an opted-out person, but only if consent is enforced', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, acme } = fixture;
    await optOut(gateway, acme.id, ANNA);
    const first = (await schedule(fixture, 'allowed', gateway.clock.now() + MINUTE)).body;
    await gateway.clock.advance(MINUTE);
    await gateway.until('it is sent', async () => (await shown(fixture, first.id)).status === 'sent');
    await consentConfigsIn(gateway.store).save(acme.id, 0, { enforce_api: true });
    const second = (await schedule(fixture, 'not allowed', gateway.clock.now() + MINUTE)).body;
    await gateway.clock.advance(MINUTE);
    const failed = await gateway.until('it failed', async () =>
      (await shown(fixture, second.id)).status === 'failed' ? shown(fixture, second.id) : null,
    );
    assert.deepEqual([failed.error, failed.message_id], ['opted_out', null]);
    assert.deepEqual(textsOn(gateway, ANNA), ['allowed']);
  });

  it('fails if it is cancelled in the queue of an offline device', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const { id } = (await schedule(fixture, 'never mind', gateway.clock.now() + MINUTE)).body;
    await api('POST', `${device.path}/disconnect`);
    await gateway.clock.advance(2 * MINUTE);
    assert.equal((await api('DELETE', `${device.path}/queue`)).body.cancelled, 1);
    const failed = await gateway.until('it failed', async () =>
      (await shown(fixture, id)).status === 'failed' ? shown(fixture, id) : null,
    );
    assert.equal(failed.error, 'cancelled');
  });

  it('can be listed by status, in pages', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const at = gateway.clock.now() + LATER;
    for (const body of ['a', 'b', 'c']) {
      await schedule(fixture, body, at);
      await gateway.clock.advance(10);
    }
    const first = (await api('GET', `${device.path}/scheduled?status=pending&limit=2`)).body;
    const rest = `${device.path}/scheduled?status=pending&limit=2&before=${first.next_before}&before_id=${first.next_before_id}`;
    const second = (await api('GET', rest)).body;
    const bodies = [...first.scheduled, ...second.scheduled].map(({ body }: { body: string }) => body);
    assert.deepEqual([bodies, second.next_before], [['c', 'b', 'a'], null]);
    assert.deepEqual((await api('GET', `${device.path}/scheduled?status=sent`)).body.scheduled, []);
  });
});
