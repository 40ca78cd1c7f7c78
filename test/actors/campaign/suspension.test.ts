import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, type Gateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, type Fixture, phones, reachedOf } from './campaign-fixture.ts';

const MINUTE = 60_000;

/** The operator suspends the only tenant, or reinstates it. */
async function suspended({ operator }: Gateway, isSuspended: boolean): Promise<void> {
  const { tenants } = (await operator('GET', '/v1/admin/tenants')).body;
  const { body } = await operator('PATCH', `/v1/admin/tenants/${tenants[0].id}`, { suspended: isSuspended });
  assert.equal(body.suspended, isSuspended);
}

const ended = (gateway: Gateway, { api }: Fixture, path: string) =>
  gateway.until('it is completed', async () => {
    const { body } = await api('GET', path);
    return body.status === 'completed' ? body : null;
  });

eachStore("a suspended tenant's campaign", (kind) => {
  it('sends no more messages, clears its queue, and continues when the tenant is reinstated', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const people = phones(30);
    const path = await aCampaign(gateway, fixture, people);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('three have it', () => reachedOf(gateway, people) >= 3);
    await suspended(gateway, true);
    const before = reachedOf(gateway, people);
    await gateway.clock.advance(5 * MINUTE);
    assert.ok(reachedOf(gateway, people) <= before + 1, 'at most the message that was on its way');

    const reached = reachedOf(gateway, people);
    await suspended(gateway, false);
    assert.equal((await fixture.api('GET', '/v1/usage')).body.messages.used, reached);
    const { sent_count } = await ended(gateway, fixture, path);
    assert.deepEqual([sent_count, reachedOf(gateway, people)], [people.length, people.length]);
    assert.equal((await fixture.api('GET', '/v1/usage')).body.messages.used, people.length);
  });

  it('starts once the tenant is reinstated if its scheduled time has passed in the meantime', async (t) => {
    const first = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(first);
    const people = phones(3);
    const path = await aCampaign(first, fixture, people, { scheduled_at: first.clock.now() + 2 * MINUTE });
    await suspended(first, true);
    await first.clock.advance(5 * MINUTE);
    const gateway = await first.crash();
    await gateway.clock.advance(5 * MINUTE);
    assert.equal(reachedOf(gateway, people), 0);

    await suspended(gateway, false);
    const api = gateway.as(fixture.token);
    const { started_at } = await ended(gateway, { ...fixture, api }, path);
    assert.ok(started_at > 0);
    assert.equal(reachedOf(gateway, people), people.length);
  });
});
