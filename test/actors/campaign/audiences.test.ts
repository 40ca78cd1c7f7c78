import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf, textsOn } from './campaign-fixture.ts';

eachStore('a campaign audience', (kind) => {
  it('includes everyone who is in the segment, tag or group when the campaign starts, with their current attributes', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const [anna, budi, citra] = phones(3) as [string, string, string];
    const group = (await api('POST', '/v1/contact-groups', { name: 'Regulars' })).body;
    const contact = (phone: string, name: string, more: object) => api('POST', '/v1/contacts', { phone: `+${phone}`, name, ...more });
    await contact(anna, 'Anna Lee', { tags: ['VIP'], attrs: { city: 'Bandung' } });
    await contact(citra, 'Citra', { group_id: group.id });
    const segment = (await api('POST', '/v1/segments', { name: 'VIPs', rules: { all: [{ field: 'tag', op: 'is', value: 'VIP' }] } })).body;

    const text = { body: 'Hi {first_name} from {attr.city}!', recipients: undefined };
    const toSegment = await aCampaign(gateway, fixture, [], { ...text, segment_id: segment.id });
    assert.equal((await api('GET', toSegment)).body.total_recipients, 1);
    assert.equal((await api('GET', toSegment)).body.segment_id, segment.id);
    await contact(budi, 'Budi', { tags: ['VIP'] });
    for (const whom of [{ tag: 'vip' }, { group_id: group.id }]) {
      const path = await aCampaign(gateway, fixture, [], { ...text, ...whom });
      assert.equal((await api('POST', `${path}/start`, {})).status, 200);
      await completed(path);
    }
    assert.deepEqual(textsOn(gateway, anna), ['Hi Anna from Bandung!']);
    assert.deepEqual(textsOn(gateway, budi), ['Hi Budi from !']);
    assert.deepEqual(textsOn(gateway, citra), ['Hi Citra from !']);
    await api('POST', `${toSegment}/start`, {});
    assert.equal((await completed(toSegment)).total_recipients, 2);

    async function completed(path: string) {
      return gateway.until('it is completed', async () => {
        const { body } = await api('GET', path);
        return body.status === 'completed' ? body : null;
      });
    }
  });

  it("still includes a renamed tag's contacts, even if another tag takes over the old name", async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const [anna, budi] = phones(2) as [string, string];
    await api('POST', '/v1/contacts', { phone: `+${anna}`, tags: ['lama'] });
    const rules = { all: [{ field: 'tag', op: 'is', value: 'lama' }] };
    const segment = (await api('POST', '/v1/segments', { name: 'Old', rules })).body;
    const drafts = [];
    for (const whom of [{ tag: 'lama' }, { segment_id: segment.id }])
      drafts.push(await aCampaign(gateway, fixture, [], { recipients: undefined, ...whom }));
    const { id } = (await api('GET', '/v1/tags')).body.tags[0];
    assert.equal((await api('PATCH', `/v1/tags/${id}`, { name: 'baru' })).status, 200);
    await api('POST', '/v1/contacts', { phone: `+${budi}`, tags: ['lama'] });
    for (const path of drafts) {
      await api('POST', `${path}/start`, {});
      await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    }
    assert.deepEqual(
      [anna, budi].map((phone) => textsOn(gateway, phone).length),
      [2, 0],
    );
  });

  it('causes the campaign to fail with a reason if the audience is deleted before the start', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const segment = (await api('POST', '/v1/segments', { name: 'VIPs', rules: { all: [{ field: 'tag', op: 'is', value: 'VIP' }] } })).body;
    const scheduled_at = gateway.clock.now() + 60_000;
    const path = await aCampaign(gateway, fixture, [], { recipients: undefined, segment_id: segment.id, scheduled_at });
    assert.equal((await api('DELETE', `/v1/segments/${segment.id}`)).status, 200);
    const ended = await gateway.until('it is over', async () => {
      const { body } = await api('GET', path);
      return body.completed_at === null ? null : body;
    });
    assert.deepEqual([ended.status, ended.error], ['failed', 'no_audience']);
  });

  it('needs the required consent attestation before a scheduled campaign can start', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(2);
    const path = await aCampaign(gateway, fixture, people, { scheduled_at: gateway.clock.now() + 60_000 });
    await api('PUT', '/v1/consent/config', { require_attestation: true });
    const draft = await gateway.until('its time is over', async () => {
      const { body } = await api('GET', path);
      return body.error === null ? null : body;
    });
    assert.deepEqual([draft.status, draft.error, draft.scheduled_at], ['draft', 'consent_attestation_required', null]);
    assert.equal((await api('POST', `${path}/start`, { consent_attested: true })).body.error, null);
    await gateway.until('both have it', () => reachedOf(gateway, people) === 2);
  });

  it('is rejected if the draft names more than one audience, device or text', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device } = await aCampaignFixture(gateway);
    const other = device.id;
    const wrong = async (more: object): Promise<string> => {
      const draft = { session_id: device.id, name: 'Two', message_type: 'text', body: 'Hello', ...more };
      return (await api('POST', '/v1/blasts', draft)).body.error;
    };
    assert.match(await wrong({ tag: 'vip', recipients: [{ phone: '+6281211110001' }] }), /recipients, tag cannot be sent together/);
    assert.match(await wrong({ segment_id: other, group_id: other }), /segment_id, group_id cannot be sent together/);
    assert.match(await wrong({ rotator_id: other }), /exactly one of session_id and rotator_id/);
    assert.match(await wrong({ template_id: other }), /send either body or template_id, not both/);
  });

  it('excludes people who opted out, including anyone who sends STOP while a message to them is queued', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api, device } = fixture;
    const people = phones(12);
    const [anna, ...others] = people as [string, ...string[]];
    const late = others.at(-1)!;
    await api('PUT', `/v1/consent/+${anna}`, { status: 'opted_out' });
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('three have it', () => reachedOf(gateway, people) >= 3);
    gateway.sandbox.phone(late).write({ to: PHONE, content: { type: 'text', body: 'STOP' } });
    const ended = await gateway.until('it is completed', async () => {
      const { body } = await api('GET', path);
      return body.status === 'completed' ? body : null;
    });
    assert.deepEqual([ended.sent_count, ended.skipped_count], [10, 2]);
    assert.deepEqual(textsOn(gateway, anna), []);
    assert.ok(!textsOn(gateway, late).includes('Hello'));
    const { recipients } = (await api('GET', `${path}/recipients?status=skipped`)).body;
    assert.deepEqual(
      recipients.map(({ error }: { error: string }) => error),
      ['opted_out', 'opted_out'],
    );
    assert.equal(await device.status(), 'connected');
  });

  it('must exist, and needs a consent attestation if the business requires one', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    await api('PUT', '/v1/consent/config', { require_attestation: true });
    const people = phones(2);
    const path = await aCampaign(gateway, fixture, people);
    const refused = await api('POST', `${path}/start`, {});
    assert.deepEqual([refused.status, refused.body.code], [409, 'CONSENT_ATTESTATION_REQUIRED']);
    const started = await api('POST', `${path}/start`, { consent_attested: true });
    assert.equal(started.status, 200);
    assert.equal(typeof started.body.consent_attested_at, 'number');
    await gateway.until('both have it', () => reachedOf(gateway, people) === 2);

    const nobody = '01JZX5ZB4T8QKX3N9V7C2M6D1E';
    const draft = { session_id: fixture.device.id, name: 'X', message_type: 'text', body: 'Hi' };
    const statusOf = async (more: object) => (await api('POST', '/v1/blasts', { ...draft, ...more })).status;
    for (const more of [{ segment_id: nobody }, { group_id: nobody }, { tag: 'nobody' }, { session_id: nobody }])
      assert.equal(await statusOf(more), 404, JSON.stringify(more));
    for (const more of [{ tag: 'VIP', group_id: nobody }, { body: undefined }, { scheduled_at: 1 }])
      assert.equal(await statusOf(more), 400, JSON.stringify(more));
  });
});
