import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { listen } from '../services/live/listener.ts';
import { aCampaign, aCampaignFixture, phones } from './campaign-fixture.ts';

const PLANS = plansFrom({ free: { open_drafts: 3, draft_recipients: 10 } });

eachStore("a tenant's drafts", (kind) => {
  it('cannot exceed the plan limit, even if they are created concurrently', async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: PLANS } });
    const { api, device } = await aCampaignFixture(gateway);
    const draft = (people: readonly string[]) =>
      api('POST', '/v1/blasts', {
        session_id: device.id,
        name: 'Sale',
        message_type: 'text',
        body: 'Hello',
        recipients: people.map((phone) => ({ phone })),
      });
    const answers = await gateway.during(Promise.all(Array.from({ length: 8 }, () => draft(phones(2)))));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 201, 402, 402, 402, 402, 402]);
    assert.equal((await api('GET', '/v1/blasts')).body.blasts.length, 3);
    const usage = async () => {
      const { open_drafts, draft_recipients } = (await api('GET', '/v1/usage')).body;
      return { open_drafts, draft_recipients };
    };
    assert.deepEqual(await usage(), { open_drafts: { used: 3, limit: 3 }, draft_recipients: { used: 6, limit: 10 } });

    const [first] = (await api('GET', '/v1/blasts')).body.blasts;
    const path = `/v1/blasts/${first.id}`;
    const refused = await api('POST', `${path}/recipients`, { recipients: phones(7).map((phone) => ({ phone })) });
    assert.equal(refused.status, 402);
    assert.equal((await api('GET', path)).body.total_recipients, 2);
    await gateway.during(api('DELETE', path));
    assert.deepEqual(await usage(), { open_drafts: { used: 2, limit: 3 }, draft_recipients: { used: 4, limit: 10 } });
    assert.equal((await gateway.during(draft(phones(6)))).status, 201);
  });

  it('show their number of recipients, even while they wait for a scheduled start', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    await api('POST', '/v1/contacts', { phone: '+6281299990001', name: 'Anna', tags: ['vip'] });
    const at = gateway.clock.now() + 60_000;
    const path = await aCampaign(gateway, fixture, [], { recipients: undefined, tag: 'vip', scheduled_at: at });
    const stream = await listen(gateway.node.url, api);
    const counted = async () => (await api('GET', path)).body.total_recipients;
    assert.equal(await counted(), 1);
    await gateway.clock.advance(30_000);
    assert.equal(await counted(), 1);
    assert.deepEqual(stream.types(), []);
    await gateway.clock.advanceTo(at + 30_000);
    assert.equal(await counted(), 1);
  });
});
