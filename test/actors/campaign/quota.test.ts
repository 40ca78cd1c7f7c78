import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf } from './campaign-fixture.ts';

eachStore('a campaign and the monthly quota', (kind) => {
  it('goes to as many as the plan allows; the others end failed with quota_exceeded', async (t) => {
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
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, 7);
  });

  it('gives back what it had taken for messages that never left', async (t) => {
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
});
