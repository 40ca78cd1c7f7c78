import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { usageIn } from '../../../store/accounts/usage.ts';
import { recipientsIn } from '../../../store/campaigns/recipients.ts';
import { aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf, textsOn } from './campaign-fixture.ts';

/** The clock of a story starts in January 2026. */
const MONTH = '2026-01';
const BATCH = `${MONTH}:01J9ZK3V5T8Q4W2N6R7X0Y1ABC`;

eachStore('a campaign limited by the monthly quota', (kind) => {
  it('sends as many messages as the plan allows and fails the rest with quota_exceeded', async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { messages: 7 } }) } });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(12);
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    const ended = await gateway.until('it is completed', async () => {
      const { body } = await api('GET', path);
      return body.status === 'completed' ? body : null;
    });
    assert.deepEqual([ended.sent_count, ended.failed_count, reachedOf(gateway, people)], [7, 5, 7]);
    const { recipients } = (await api('GET', `${path}/recipients?status=failed`)).body;
    assert.deepEqual([...new Set(recipients.map(({ error }: { error: string }) => error))], ['quota_exceeded']);
    for (const { id, message_id, session_id } of recipients) assert.deepEqual([message_id, session_id], [id, fixture.device.id]);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, 7);
  });

  it('does not pause for bad numbers when most messages fail because of the quota', async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { messages: 7 } }) } });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const path = await aCampaign(gateway, fixture, phones(60));
    await api('POST', `${path}/start`, {});
    const ended = await gateway.until('it stops', async () => {
      const { body } = await api('GET', path);
      return body.status === 'running' ? null : body;
    });
    assert.deepEqual([ended.status, ended.sent_count, ended.failed_count], ['completed', 7, 53]);
  });

  it('does not pause for bad numbers after a crash while messages are failing because of the quota', async (t) => {
    let gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { messages: 7 } }) } });
    const fixture = await aCampaignFixture(gateway);
    const path = await aCampaign(gateway, fixture, phones(60));
    // What is on the wire keeps it from its end, and nothing is counted yet.
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 10_000 });
    await gateway.as(fixture.token)('POST', `${path}/start`, {});
    const failed = () => Array.fromAsync(recipientsIn(gateway.store).list(path.split('/').at(-1) ?? '', { status: 'failed' }, null, 60));
    await gateway.until('the others are refused', async () => (await failed()).length === 53);
    gateway = await gateway.crash();
    const ended = await gateway.until('it stops', async () => {
      const { body } = await gateway.as(fixture.token)('GET', path);
      return body.status === 'running' ? null : body;
    });
    assert.deepEqual([ended.status, ended.sent_count, ended.failed_count], ['completed', 7, 53]);
  });

  it('pauses or cancels retried messages together with the rest of the campaign', async (t) => {
    const plans = plansFrom({ free: { messages: 5 }, pro: { messages: 100 } });
    const gateway = await aGateway(t, { kind, config: { plans } });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    // In Jakarta it is morning. In New York, for which it stays under way, evening.
    await api('PUT', '/v1/settings', { send_window: { enabled: true, start: '06:00', end: '18:00', zone: 'recipient' } });
    const people = phones(20);
    const path = await aCampaign(gateway, fixture, [...people, '12125551000']);
    const counted = async () => (await api('GET', path)).body;
    await api('POST', `${path}/start`, {});
    await gateway.until('the quota is used up', async () => (await counted()).sent_count === 5);
    const [tenant] = (await gateway.operator('GET', '/v1/admin/tenants')).body.tenants;
    await gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { plan: 'pro' });
    await gateway.clock.advance(6_000);
    assert.deepEqual((await gateway.during(api('POST', '/v1/billing/retry-unsent'))).body, { retried: 15 });

    await gateway.during(api('POST', `${path}/pause`));
    const atPause = reachedOf(gateway, people);
    await gateway.clock.advance(120_000);
    assert.ok(reachedOf(gateway, people) <= atPause + 1, `${reachedOf(gateway, people)} after ${atPause}`);
    await api('POST', `${path}/resume`);
    await gateway.until('some more have it', () => reachedOf(gateway, people) >= 10);
    await gateway.during(api('POST', `${path}/cancel`));
    const atCancel = reachedOf(gateway, people);
    await gateway.clock.advance(120_000);
    const reached = reachedOf(gateway, people);
    assert.ok(reached <= atCancel + 1, `${reached} after ${atCancel}`);
    const { sent_count, failed_count, skipped_count } = await counted();
    assert.deepEqual([sent_count, failed_count, skipped_count], [reached, 0, people.length + 1 - reached]);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, reached);
    for (const phone of people) assert.ok(textsOn(gateway, phone).length <= 1, phone);
  });

  it('shows why the last retry of a message failed', async (t) => {
    const plans = plansFrom({ free: { messages: 1 }, pro: { messages: 100 } });
    const gateway = await aGateway(t, { kind, config: { plans } });
    const fixture = await aCampaignFixture(gateway);
    const { api, device } = fixture;
    const path = await aCampaign(gateway, fixture, phones(2));
    await api('POST', `${path}/start`, {});
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    const [{ id, phone }] = (await api('GET', `${path}/recipients?status=failed`)).body.recipients;
    const [tenant] = (await gateway.operator('GET', '/v1/admin/tenants')).body.tenants;
    await gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { plan: 'pro' });
    gateway.sandbox.phone(phone).set({ onNetwork: false });
    const sentAgain = async (reason: string) => {
      assert.equal((await api('POST', `${device.path}/messages/${id}/retry`)).status, 202);
      await gateway.until(`it fails: ${reason}`, async () => (await api('GET', `${device.path}/messages/${id}`)).body.error === reason);
      await gateway.clock.advance(5_000);
      const shown = (await api('GET', `${path}/recipients`)).body.recipients.find((one: { id: string }) => one.id === id);
      const { failed_count, skipped_count } = (await api('GET', path)).body;
      return [shown.status, shown.error, failed_count, skipped_count];
    };
    assert.deepEqual(await sentAgain('not_on_network'), ['failed', 'not_on_network', 1, 0]);
    await api('PUT', `/v1/consent/+${phone}`, { status: 'opted_out' });
    assert.deepEqual(await sentAgain('opted_out'), ['skipped', 'opted_out', 0, 1]);
    await api('PUT', `/v1/consent/+${phone}`, { status: 'opted_in' });
    assert.deepEqual(await sentAgain('not_on_network'), ['failed', 'not_on_network', 1, 0]);
  });

  it('refunds the quota of messages that were never sent', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(15);
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('two have it', () => reachedOf(gateway, people) >= 2);
    await api('POST', `${path}/cancel`);
    await gateway.clock.advance(60_000);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, reachedOf(gateway, people));
  });

  it('reports recipients as cancelled if a crashed process had counted them but not messaged them', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    await api('PUT', '/v1/settings', { send_window: { enabled: true, start: '20:00', end: '21:00' } });
    const people = phones(3);
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('it waits', async () => (await api('GET', path)).body.resumes_at !== null);
    const recipients = recipientsIn(gateway.store);
    const ids = (await Array.fromAsync(recipients.list(path.split('/').at(-1) ?? '', { status: null }, null, people.length))).map(
      ({ _id }) => _id,
    );
    await usageIn(gateway.store).takeMessages(
      (await gateway.operator('GET', '/v1/admin/tenants')).body.tenants[0].id,
      MONTH,
      ids.length,
      null,
      undefined,
      BATCH,
    );
    // Last: the campaign may look at them as soon as they are marked.
    await recipients.released(ids, fixture.device.id, BATCH);

    await api('POST', `${path}/cancel`);
    await gateway.clock.advance(60_000);
    const { skipped_count, total_recipients } = (await api('GET', path)).body;
    assert.deepEqual([skipped_count, total_recipients, (await api('GET', '/v1/usage')).body.messages.used], [3, 3, 0]);
    const { recipients: shown } = (await api('GET', `${path}/recipients`)).body;
    assert.deepEqual([...new Set(shown.map(({ status }: { status: string }) => status))], ['skipped']);
  });
});
