import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, type Fixture, phones, reachedOf, textsOn } from './campaign-fixture.ts';

const HOUR = 3_600_000;

async function withContacts(fixture: Fixture, tagsOf: Readonly<Record<string, readonly string[]>>) {
  for (const [phone, tags] of Object.entries(tagsOf)) await fixture.api('POST', '/v1/contacts', { phone: `+${phone}`, name: phone, tags });
}

const errorsOf = async ({ api }: Fixture, path: string): Promise<Record<string, string>> => {
  const { recipients } = (await api('GET', `${path}/recipients`)).body;
  return Object.fromEntries(recipients.map(({ phone, error }: { phone: string; error: string }) => [phone, error]));
};

eachStore('a campaign with excluded recipients', (kind) => {
  it('messages contacts that have a listed tag and no excluded tag, and rechecks the tags before each message', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const [anna, budi, citra, dewi] = phones(4) as [string, string, string, string];
    await withContacts(fixture, { [anna]: ['vip'], [budi]: ['new'], [citra]: ['vip', 'blocked'], [dewi]: [] });
    const audience = { recipients: undefined, tags: ['VIP', 'new'], exclude_tags: ['blocked'] };
    const path = await aCampaign(gateway, fixture, [], audience);
    const { body } = await api('GET', path);
    assert.deepEqual([body.total_recipients, body.tags, body.exclude_tags], [2, ['vip', 'new'], ['blocked']]);
    await api('POST', `${path}/start`, {});
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    assert.deepEqual(
      [anna, budi, citra, dewi].map((phone) => textsOn(gateway, phone).length),
      [1, 1, 0, 0],
    );

    const listed = await aCampaign(gateway, fixture, [citra, dewi], { exclude_tags: ['blocked'] });
    await api('POST', `${listed}/start`, {});
    await gateway.until('it is completed', async () => (await api('GET', listed)).body.status === 'completed');
    assert.deepEqual(await errorsOf(fixture, listed), { [citra]: 'excluded', [dewi]: null });

    const everybody = await aCampaign(gateway, fixture, [], { recipients: undefined, all_contacts: true, body: 'All' });
    assert.deepEqual([(await api('GET', everybody)).body.total_recipients, (await api('GET', everybody)).body.all_contacts], [4, true]);
    const patched = await api('PATCH', everybody, { exclude_tags: ['new'] });
    assert.deepEqual([patched.status, patched.body.total_recipients], [200, 3]);
    for (const wrong of [{ tags: ['unknown'] }, { exclude_tags: ['unknown'] }])
      assert.equal((await api('PATCH', everybody, wrong)).status, 404);
    for (const wrong of [{ tags: ['vip'], tag: 'vip' }, { all_contacts: false }, { tags: [] }, { skip_if_messaged_within_hours: 0 }])
      assert.equal((await api('PATCH', everybody, wrong)).status, 400, JSON.stringify(wrong));
  });

  it("skips people who recently got a message from any of the business's devices, and reports the reason", async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    await gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { plan: 'starter' });
    const [device, other] = [await tenant.linked(PHONE), await tenant.linked('6281100000002')];
    const { api } = tenant;
    await api('PUT', '/v1/settings', { send_window: { enabled: false } });
    const fixture = { api, device, token: tenant.tokens.token };
    const [anna, budi, citra] = phones(3) as [string, string, string];
    await other.text(budi, 'Your order is ready');
    await gateway.until('he has it', () => reachedOf(gateway, [budi]) === 1);
    const more = { skip_if_messaged_within_hours: 1, body: 'Sale' };
    const path = await aCampaign(gateway, fixture, [anna, budi], more);
    await api('POST', `${path}/start`, {});
    const done = await gateway.until('it is completed', async () => {
      const { body } = await api('GET', path);
      return body.status === 'completed' ? body : null;
    });
    assert.deepEqual([done.sent_count, done.skipped_count, done.skipped], [1, 1, { recently_messaged: 1 }]);
    await gateway.clock.advance(1.1 * HOUR);
    const later = await aCampaign(gateway, fixture, [budi, citra], more);
    await api('POST', `${later}/start`, {});
    await gateway.until('both have it', () => reachedOf(gateway, [budi, citra]) === 2 && textsOn(gateway, budi).includes('Sale'));
  });
});
