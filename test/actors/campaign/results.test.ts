import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, textsOn } from './campaign-fixture.ts';

const HOUR = 3_600_000;

eachStore('campaign results', (kind) => {
  it('count deliveries, reads, replies and opt-outs once per person', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(3);
    const [anna, budi] = people as [string, string, string];
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    const counts = async () => (await api('GET', path)).body;
    await gateway.until('all have read it', async () => (await counts()).read_count === 3);
    const writes = (from: string, body: string) => gateway.sandbox.phone(from).write({ to: PHONE, content: { type: 'text', body } });
    writes(anna, 'How much is it?');
    writes(anna, 'STOP');
    writes(budi, 'STOP');
    await gateway.until('both are noted', async () => {
      const { replied_count, opted_out_count } = await counts();
      return replied_count === 1 && opted_out_count === 1;
    });
    const { delivered_count, read_count, replied_count, opted_out_count, skipped } = await counts();
    assert.deepEqual([delivered_count, read_count, replied_count, opted_out_count, skipped], [3, 3, 1, 1, {}]);
  });

  it('can be filtered by reason and searched by name or number', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const [anna, budi] = phones(2) as [string, string];
    await api('PUT', `/v1/consent/%2B${budi}`, { status: 'opted_out' });
    const recipients = [{ phone: anna, name: 'Anna Lee' }, { phone: budi, name: 'Budi' }, { phone: '12' }];
    const path = await aCampaign(gateway, fixture, [], { recipients });
    await api('POST', `${path}/start`, {});
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    const found = async (query: string) =>
      (await api('GET', `${path}/recipients?${query}`)).body.recipients.map(({ phone }: { phone: string }) => phone);
    assert.deepEqual(await found('reason=opted_out'), [budi]);
    assert.deepEqual(await found('reason=invalid&status=skipped'), ['12']);
    assert.deepEqual(await found('q=LEE'), [anna]);
    assert.deepEqual(await found(`q=0${budi.slice(2)}`), [budi]);
    assert.deepEqual(await found('q=nobody'), []);
    assert.deepEqual((await api('GET', path)).body.skipped, { invalid: 1, opted_out: 1 });
  });

  it('allow each failed recipient to be retried only once, with only one retry draft at a time', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(3);
    gateway.sandbox.device(PHONE).fault({ kind: 'refuse', forMs: HOUR });
    const path = await aCampaign(gateway, fixture, people);
    const resend = (reasons: readonly string[]) => api('POST', `${path}/resend`, { reasons });
    assert.equal((await resend(['expired'])).status, 409, 'a draft was not sent yet');
    await api('POST', `${path}/start`, {});
    await gateway.until('all failed', async () => (await api('GET', path)).body.failed_count === 3);
    const [{ error }] = (await api('GET', `${path}/recipients`)).body.recipients;
    for (const reasons of [['opted_out'], ['unknown_outcome', 'expired'], [], ['expired']])
      assert.equal((await resend(reasons)).status, 400, `${reasons}`);

    const made = await resend([error]);
    assert.deepEqual([made.status, made.body.status, made.body.resend_of, made.body.total_recipients], [201, 'draft', path.slice(-26), 3]);
    const again = await resend([error]);
    assert.deepEqual([again.status, again.body.id], [200, made.body.id]);
    assert.equal((await resend([error, 'expired'])).status, 409, 'one draft at a time');
    const draft = `/v1/blasts/${made.body.id}`;
    assert.equal((await api('DELETE', draft)).status, 200);
    const next = await resend([error]);
    assert.deepEqual([next.status, next.body.total_recipients], [201, 3], 'a deleted draft gives its people free');
    assert.equal((await api('POST', `/v1/blasts/${next.body.id}/start`, {})).status, 200);
    assert.equal((await resend([error])).status, 400, 'each of them is in a draft by now');
  });

  it('can be previewed with the recipients, texts and times', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const [anna, budi, citra] = phones(3) as [string, string, string];
    await api('POST', '/v1/contacts', { phone: `+${anna}`, name: 'Anna Lee' });
    await api('PUT', `/v1/consent/%2B${budi}`, { status: 'opted_out' });
    const body = {
      session_id: fixture.device.id,
      name: 'Sale',
      message_type: 'text',
      body: 'Hi {first_name}, {var1} and {city}',
      recipients: [anna, budi, citra, anna, '12'].map((phone) => ({ phone })),
    };
    const { status, body: shown } = await api('POST', '/v1/blasts/preview', body);
    assert.equal(status, 200);
    assert.deepEqual(
      [shown.recipients, some(shown.skipped), shown.unknown_tokens],
      [2, { opted_out: 1, invalid: 1, duplicate: 1 }, ['city']],
    );
    assert.deepEqual(shown.sample[0], {
      person: { phone: anna, lid: null, username: null, name: 'Anna Lee' },
      text: shown.sample[0].text,
      missing: ['var1', 'city'],
    });
    assert.match(shown.sample[0].text, /^Hi Anna,/);
    assert.ok(shown.ends_at > shown.starts_at && shown.starts_at >= shown.as_of && shown.quota_left > 0);
    const all = await api('POST', '/v1/blasts/preview', { ...body, recipients: undefined, all_contacts: true });
    assert.equal(all.body.recipients, 1);
    assert.deepEqual((await api('GET', '/v1/blasts')).body.blasts, [], 'nothing is stored');
    await api('PUT', '/v1/settings', { send_window: { enabled: true, start: '09:00', end: '10:00', zone: 'business' } });
    const window = (await api('POST', '/v1/blasts/preview', body)).body;
    assert.ok(window.starts_at >= window.as_of);
  });

  it('match the preview, which also predicts the skipped recipients and their reasons', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api, device } = fixture;
    const [anna, budi, citra, dewi, eka, fajar] = phones(6) as [string, string, string, string, string, string];
    const twins = ['5215512345678', '525512345678'];
    await api('PUT', `/v1/consent/%2B${budi}`, { status: 'opted_out' });
    await api('POST', '/v1/contacts', { phone: `+${citra}`, name: 'Citra', tags: ['blocked'] });
    await device.text(dewi, 'Your order is ready');
    await gateway.until('she has it', () => textsOn(gateway, dewi).length === 1);
    const listed = [anna, budi, citra, dewi, eka, fajar, ...twins].map((phone) => ({ phone: `+${phone}`, var1: 'Hello' }));
    const recipients = listed.map((one) => {
      if (one.phone === `+${eka}`) return { ...one, var1: null };
      return one.phone === `+${fajar}` ? { ...one, var1: 'x'.repeat(500) } : one;
    });
    const more = { body: '{var1}'.repeat(200), recipients, exclude_tags: ['blocked'], skip_if_messaged_within_hours: 1 };
    const draft = { session_id: device.id, name: 'Sale', message_type: 'text', ...more };
    const { status, body: told } = await gateway.during(api('POST', '/v1/blasts/preview', draft));
    const reasons = ['opted_out', 'excluded', 'duplicate', 'recently_messaged', 'text_too_long', 'empty_text'];
    assert.deepEqual([status, told.recipients, some(told.skipped)], [200, 2, Object.fromEntries(reasons.map((reason) => [reason, 1]))]);

    const path = await aCampaign(gateway, fixture, [], more);
    await api('POST', `${path}/start`, {});
    const done = await gateway.until('it is completed', async () => {
      const { body } = await api('GET', path);
      return body.status === 'completed' ? body : null;
    });
    assert.deepEqual([done.sent_count + done.failed_count, done.skipped], [told.recipients, some(told.skipped)]);
  });
});

/** The reasons that somebody was skipped for. */
const some = (skipped: Readonly<Record<string, number>>) => Object.fromEntries(Object.entries(skipped).filter(([, count]) => count > 0));
