import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf, textsOn } from './campaign-fixture.ts';

const MINUTE = 60_000;

eachStore('a campaign that runs into problems', (kind) => {
  it('neither loses nor duplicates a message if the process crashes during a run', async (t) => {
    let gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { token } = fixture;
    const people = phones(24);
    const path = await aCampaign(gateway, fixture, people);
    await gateway.as(token)('POST', `${path}/start`, {});
    for (const reached of [5, 10, 18]) {
      await gateway.until(`${reached} have it`, () => reachedOf(gateway, people) >= reached);
      gateway = await gateway.crash();
    }
    const api = gateway.as(token);
    const ended = await gateway.until('it is completed', async () => {
      const { body } = await api('GET', path);
      return body.status === 'completed' ? body : null;
    });
    assert.deepEqual([ended.total_recipients, ended.sent_count, ended.failed_count, ended.skipped_count], [24, 24, 0, 0]);
    for (const phone of people) assert.deepEqual(textsOn(gateway, phone), ['Hello'], phone);
  });

  it('pauses with a reason if the device stays offline, and continues when resumed', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api, device } = fixture;
    const people = phones(10);
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('one has it', () => reachedOf(gateway, people) >= 1);
    await api('POST', `${device.path}/disconnect`);
    await gateway.clock.advance(9 * MINUTE);
    assert.equal((await api('GET', path)).body.status, 'running');
    await gateway.clock.advance(2 * MINUTE);
    const paused = (await api('GET', path)).body;
    assert.deepEqual([paused.status, paused.pause_reason], ['paused', 'device_disconnected']);
    await api('POST', `${device.path}/connect`);
    await gateway.until('the device is back', async () => (await device.status()) === 'connected');
    await api('POST', `${path}/resume`);
    await gateway.until('all have it', () => reachedOf(gateway, people) === people.length);
    for (const phone of people) assert.equal(textsOn(gateway, phone).length, 1);
  });

  it('pauses when the phone unlinks the device', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(10);
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('one has it', () => reachedOf(gateway, people) >= 1);
    gateway.sandbox.device(PHONE).fault({ kind: 'logout' });
    const paused = await gateway.until('it pauses', async () => {
      const { body } = await api('GET', path);
      return body.status === 'paused' ? body : null;
    });
    assert.equal(paused.pause_reason, 'device_failed');
  });

  it('pauses when most numbers are bad', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(60);
    for (const phone of people.slice(0, 40)) gateway.sandbox.phone(phone).set({ onNetwork: false });
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    const paused = await gateway.until('it pauses', async () => {
      const { body } = await api('GET', path);
      return body.status === 'paused' ? body : null;
    });
    assert.equal(paused.pause_reason, 'failure_rate');
    assert.ok(paused.failed_count >= 20 && paused.failed_count < 40, `${paused.failed_count}`);
  });

  it('counts a failed message as sent if a retry succeeds after the campaign has completed', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api, device } = fixture;
    const people = phones(3);
    const [late = ''] = people;
    gateway.sandbox.phone(late).set({ onNetwork: false });
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    const [failed] = (await api('GET', `${path}/recipients?status=failed`)).body.recipients;
    assert.equal(failed.phone, late);

    gateway.sandbox.phone(late).set({ onNetwork: true });
    assert.equal((await api('POST', `${device.path}/messages/${failed.id}/retry`)).status, 202);
    await gateway.until('it is read', async () => (await api('GET', `${device.path}/messages/${failed.id}`)).body.status === 'read');
    const ended = await gateway.until('it is counted', async () => {
      const { body } = await api('GET', path);
      return body.failed_count === 0 ? body : null;
    });
    assert.deepEqual([ended.status, ended.sent_count, ended.failed_count], ['completed', 3, 0]);
    const { recipients } = (await api('GET', `${path}/recipients?status=read`)).body;
    assert.deepEqual(recipients.find(({ phone }: { phone: string }) => phone === late)?.error, null);
  });

  it('stops when its device is deleted', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api, device } = fixture;
    const path = await aCampaign(gateway, fixture, phones(40));
    await api('POST', `${path}/start`, {});
    await gateway.during(api('DELETE', device.path));
    const statusIs = async (status: string) => (await api('GET', path)).body.status === status;
    // The phone is logged out before its device is gone: the campaign may see either.
    await gateway.until('it stops', async () => !(await statusIs('running')));
    if (await statusIs('paused')) await api('POST', `${path}/resume`);
    await gateway.until('it ends', () => statusIs('failed'));
    assert.equal((await api('GET', path)).body.error, 'no_session');
    const ended = await gateway.until('everybody has an outcome', async () => {
      const { body } = await api('GET', path);
      return body.sent_count + body.failed_count + body.skipped_count === body.total_recipients ? body : null;
    });
    assert.equal(ended.total_recipients, 40);
    const { recipients } = (await api('GET', `${path}/recipients?status=skipped&limit=100`)).body;
    assert.equal(recipients.length, ended.skipped_count);
    assert.ok(recipients.some(({ error }: { error: string }) => error === 'no_session'));
    assert.deepEqual((await api('GET', `${path}/recipients?status=pending`)).body.recipients, []);
  });
});
