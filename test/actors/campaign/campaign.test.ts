import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf, textsOn } from './campaign-fixture.ts';

eachStore('a campaign', (kind) => {
  it('sends one personalized message to each recipient, and reports each outcome', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device } = await aCampaignFixture(gateway);
    const [anna, budi, gone] = phones(3) as [string, string, string];
    gateway.sandbox.phone(gone).set({ onNetwork: false });

    const draft = await api('POST', '/v1/blasts', {
      session_id: device.id,
      name: 'Spring sale',
      message_type: 'text',
      body: 'Hi {{first_name|there}}, use {var1}!',
      recipients: [
        { phone: `+${anna}`, name: 'Anna Lee', var1: 'A1' },
        { phone: `+${budi}`, var1: 'B2' },
        { phone: anna, name: 'Anna again' },
        { phone: gone },
        { phone: '12' },
      ],
    });
    assert.equal(draft.status, 201, JSON.stringify(draft.body));
    assert.equal(draft.body.status, 'draft');
    assert.equal(draft.body.total_recipients, 3);

    const path = `/v1/blasts/${draft.body.id}`;
    assert.equal((await api('POST', `${path}/start`, {})).body.status, 'running');
    const ended = await gateway.until('the campaign is completed', async () => {
      const { body } = await api('GET', path);
      return body.status === 'completed' ? body : null;
    });
    assert.deepEqual([ended.total_recipients, ended.sent_count, ended.failed_count, ended.skipped_count], [3, 2, 1, 0]);
    assert.ok(ended.completed_at >= ended.started_at);
    assert.deepEqual(textsOn(gateway, anna), ['Hi Anna, use A1!']);
    assert.deepEqual(textsOn(gateway, budi), ['Hi there, use B2!']);

    const { recipients } = (await api('GET', `${path}/recipients`)).body;
    const authorization = Object.fromEntries(
      recipients.map((one: Record<string, string>) => [one['phone'], one['error'] ?? one['status']]),
    );
    assert.equal(authorization[gone], 'not_on_network');
    assert.equal(authorization['12'], 'invalid');
    const skipped = (await api('GET', `${path}/recipients?status=skipped`)).body.recipients;
    assert.deepEqual(new Set(skipped.map(({ phone }: { phone: string }) => phone)), new Set(['12']));

    const report = await api('GET', `${path}/report`);
    assert.equal(report.status, 200, JSON.stringify(report.body));
    assert.match(report.headers.get('content-type') ?? '', /^text\/csv/);
    const lines = report.body.trim().split('\n');
    assert.equal(lines[0], '"phone","status","error","sent_at","delivered_at","read_at","lid","username"');
    assert.equal(lines.length, 5);
    const [, status, error, sentAt] = lines.find((line: string) => line.startsWith(`"+${anna}"`)).split(',');
    assert.match(status, /^"(sent|delivered|read)"$/);
    assert.equal(error, '""');
    const at = Number(JSON.parse(sentAt));
    assert.ok(at >= ended.started_at && at <= gateway.clock.now(), `${sentAt} is epoch ms`);
  });

  it('skips recipients whose text is empty, without using quota', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device } = await aCampaignFixture(gateway);
    const [anna, budi] = phones(2) as [string, string];
    const recipients = [{ phone: anna, var1: 'Your order is ready' }, { phone: budi }];
    const campaign = { session_id: device.id, name: 'Orders', message_type: 'text', body: '{var1} ', recipients };
    const { id } = (await api('POST', '/v1/blasts', campaign)).body;
    await api('POST', `/v1/blasts/${id}/start`, {});
    const { sent_count, skipped_count } = await gateway.until('it is completed', async () => {
      const { body } = await api('GET', `/v1/blasts/${id}`);
      return body.status === 'completed' ? body : null;
    });
    assert.deepEqual([sent_count, skipped_count, textsOn(gateway, anna), textsOn(gateway, budi)], [1, 1, ['Your order is ready '], []]);
    const [skipped] = (await api('GET', `/v1/blasts/${id}/recipients?status=skipped`)).body.recipients;
    assert.deepEqual([skipped.phone, skipped.error], [budi, 'empty_text']);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, 1);
  });

  it('skips recipients whose text is too long', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const [anna, budi] = phones(2) as [string, string];
    const recipients = [
      { phone: anna, var1: 'x' },
      { phone: budi, var1: 'x'.repeat(500) },
    ];
    const path = await aCampaign(gateway, fixture, [], { body: '{var1}'.repeat(10_922), recipients });
    await api('POST', `${path}/start`, {});
    const { sent_count, skipped_count } = await gateway.until('it is completed', async () => {
      const { body } = await api('GET', path);
      return body.status === 'completed' ? body : null;
    });
    const lengths = [anna, budi].map((phone) => textsOn(gateway, phone).map(({ length }) => length));
    assert.deepEqual([sent_count, skipped_count, lengths], [1, 1, [[10_922], []]]);
    const [skipped] = (await api('GET', `${path}/recipients?status=skipped`)).body.recipients;
    assert.deepEqual([skipped.phone, skipped.error], [budi, 'text_too_long']);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, 1);
  });

  it("uses the contact's name if the name in the list is blank", async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const [anna, budi] = phones(2) as [string, string];
    await api('POST', '/v1/contacts', { phone: `+${anna}`, name: 'Anna Lee' });
    const recipients = [
      { phone: anna, name: ' ' },
      { phone: budi, name: '' },
    ];
    const path = await aCampaign(gateway, fixture, [], { recipients, body: 'Hi {{first_name|there}}' });
    await api('POST', `${path}/start`, {});
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    assert.deepEqual([textsOn(gateway, anna), textsOn(gateway, budi)], [['Hi Anna'], ['Hi there']]);
  });

  it('waits for the send window, and reports when the window will open', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device } = await aCampaignFixture(gateway);
    const [anna] = phones(1) as [string];
    const opensAt = await shutForAWhile(gateway, api);
    const { id } = (
      await api('POST', '/v1/blasts', {
        session_id: device.id,
        name: 'Night',
        message_type: 'text',
        body: 'Good morning',
        recipients: [{ phone: anna }],
      })
    ).body;
    await api('POST', `/v1/blasts/${id}/start`, {});
    const waiting = await gateway.until('it waits', async () => {
      const { body } = await api('GET', `/v1/blasts/${id}`);
      return body.resumes_at === null ? null : body;
    });
    assert.equal(waiting.status, 'running');
    assert.equal(waiting.resumes_at, opensAt);
    await device.text(anna, 'A reply is never held');
    await gateway.until('the reply arrives', () => textsOn(gateway, anna).length === 1);
    await gateway.clock.advance(opensAt - gateway.clock.now() - 60_000);
    assert.deepEqual(textsOn(gateway, anna), ['A reply is never held']);
    await gateway.until('the campaign goes out', () => textsOn(gateway, anna).length === 2);
    assert.ok(gateway.clock.now() >= opensAt);
  });

  it('lets a manual reply go out before its next message', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const people = phones(30);
    const path = await aCampaign(gateway, fixture, people);
    await fixture.api('POST', `${path}/start`, {});
    const accepted = () => gateway.sandbox.journal.of('accepted').map(({ to }) => to?.split('@')[0]);
    await gateway.until('it is under way', () => reachedOf(gateway, people) >= 5);
    const customer = '6281233330000';
    const before = accepted().length;
    await fixture.device.text(customer, 'Yes, we are open');
    await gateway.until('the reply is out', () => accepted().includes(customer));
    assert.ok(accepted().indexOf(customer) <= before + 1, 'at most the message that was on its way goes first');
  });

  it('can be paused and resumed, but cannot be resumed after it is cancelled', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device } = await aCampaignFixture(gateway);
    const people = phones(12);
    const recipients = people.map((phone) => ({ phone }));
    const { id } = (
      await api('POST', '/v1/blasts', { session_id: device.id, name: 'Many', message_type: 'text', body: 'Hello', recipients })
    ).body;
    const reached = (): number => people.filter((phone) => textsOn(gateway, phone).length > 0).length;
    await api('POST', `/v1/blasts/${id}/start`, {});
    await gateway.until('three have it', () => reached() >= 3);

    const paused = await api('POST', `/v1/blasts/${id}/pause`);
    const before = reached();
    assert.equal(paused.body.status, 'paused');
    assert.equal(paused.body.pause_reason, 'requested');
    assert.equal((await api('POST', `/v1/blasts/${id}/pause`)).status, 409);
    await gateway.clock.advance(120_000);
    assert.ok(reached() <= before + 1, `${reached()} after ${before}`);
    const atPause = reached();

    assert.equal((await api('POST', `/v1/blasts/${id}/resume`)).body.status, 'running');
    await gateway.until('more have it', () => reached() > atPause + 1);
    const cancelled = (await api('POST', `/v1/blasts/${id}/cancel`)).body;
    const atCancel = reached();
    assert.equal(cancelled.status, 'cancelled');
    await gateway.clock.advance(120_000);
    assert.ok(reached() <= atCancel + 1);
    const { body } = await api('GET', `/v1/blasts/${id}`);
    assert.equal(body.sent_count, reached());
    assert.equal(body.skipped_count, people.length - reached());
    assert.equal((await api('POST', `/v1/blasts/${id}/resume`)).status, 409);
    for (const phone of people) assert.ok(textsOn(gateway, phone).length <= 1);
    assert.equal((await api('DELETE', `/v1/blasts/${id}`)).status, 200);
    assert.equal((await api('GET', `/v1/blasts/${id}`)).status, 404);
  });
});

/** The window opens an hour from now on another day; gives when. */
async function shutForAWhile(
  gateway: { clock: { now(): number } },
  api: Awaited<ReturnType<typeof aCampaignFixture>>['api'],
): Promise<number> {
  const hour = 3_600_000;
  await api('PUT', '/v1/profile', { timezone: 'Asia/Jakarta' });
  const quarter = hour / 4;
  const opensAt = Math.ceil((gateway.clock.now() + quarter) / quarter) * quarter;
  const local = (at: number): string => new Date(at + 7 * hour).toISOString().slice(11, 16);
  const saved = await api('PUT', '/v1/settings', {
    send_window: { enabled: true, start: local(opensAt), end: local(opensAt + hour), zone: 'business' },
  });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  return opensAt;
}
