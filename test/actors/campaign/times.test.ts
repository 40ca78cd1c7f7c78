import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Api, aGateway, type Gateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf, textsOn } from './campaign-fixture.ts';

const HOUR = 3_600_000;
/** So often the clock is looked at: where nothing has to happen meanwhile, hours pass in leaps. */
const POLL_MS = 60_000;
const QUARTER = HOUR / 4;
/** The clock of a story starts at midnight UTC, when it is 19:00 in New York, 07:00 in Jakarta and 06:30 in Yangon. */
const NEW_YORK = '12125550123';
const YANGON = '959250123456';
const JAKARTA = '6281211199999';

eachStore('a scheduled or running campaign', (kind) => {
  it("respects the send window in each recipient's time zone", async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const window = { enabled: true, start: '07:15', end: '20:00', days: [0, 1, 2, 3, 4, 5, 6], zone: 'recipient' };
    await api('PUT', '/v1/settings', { send_window: window });
    const people = [JAKARTA, YANGON, NEW_YORK];
    const midnight = Math.floor(gateway.clock.now() / HOUR) * HOUR;
    const minutes = async (some: readonly string[], zone: string) => {
      await api('PUT', '/v1/settings', { send_window: { ...window, zone } });
      const draft = {
        session_id: fixture.device.id,
        name: 'Sale',
        message_type: 'text',
        body: 'Hi',
        recipients: some.map((phone) => ({ phone })),
      };
      const { starts_at, ends_at } = (await api('POST', '/v1/blasts/preview', draft)).body;
      return [starts_at, ends_at].map((at) => Math.floor((at - midnight) / 60_000));
    };
    assert.deepEqual(await minutes(people, 'business'), [15, 15]);
    assert.deepEqual(await minutes([YANGON], 'recipient'), [45, 45]);
    assert.deepEqual(await minutes([JAKARTA, JAKARTA, YANGON], 'recipient'), [15, 45]);
    assert.deepEqual((await minutes(people, 'recipient'))[0], 0);
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});

    const arrivals = new Map<string, number>();
    while (arrivals.size < people.length && gateway.clock.now() < midnight + 2 * HOUR) {
      await gateway.clock.advance(QUARTER / 3);
      for (const phone of people) if (!arrivals.has(phone) && textsOn(gateway, phone).length > 0) arrivals.set(phone, gateway.clock.now());
    }
    const quarters = people.map((phone) => Math.floor(((arrivals.get(phone) ?? 0) - midnight) / QUARTER));
    assert.deepEqual(quarters, [1, 3, 0]);
    assert.equal((await ended(gateway, api, path)).sent_count, 3);
  });

  it('sends messages when the send window is disabled, and waits when it is enabled again', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    await api('PUT', '/v1/settings', { send_window: { enabled: true, start: '20:00', end: '21:00' } });
    const people = phones(30);
    const path = await aCampaign(gateway, fixture, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('it waits', async () => (await api('GET', path)).body.resumes_at !== null);
    await api('PUT', '/v1/settings', { send_window: { enabled: false } });
    await gateway.until('some have it', () => reachedOf(gateway, people) >= 3);
    assert.equal((await api('GET', path)).body.resumes_at, null);

    await api('PUT', '/v1/settings', { send_window: { enabled: true } });
    await gateway.until('it waits again', async () => (await api('GET', path)).body.resumes_at !== null);
    const reached = reachedOf(gateway, people);
    assert.ok(reached < people.length);
    gateway.clock.jump(HOUR - POLL_MS);
    await gateway.clock.advance(POLL_MS);
    assert.ok(reachedOf(gateway, people) <= reached + 1);
  });

  it('starts automatically at the scheduled time', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const people = phones(2);
    const at = gateway.clock.now() + HOUR;
    const path = await aCampaign(gateway, fixture, people, { scheduled_at: at });
    gateway.clock.jump(HOUR - 2 * POLL_MS);
    await gateway.clock.advance(POLL_MS);
    assert.deepEqual([(await api('GET', path)).body.status, reachedOf(gateway, people)], ['draft', 0]);
    const { started_at } = await ended(gateway, api, path);
    assert.ok(started_at >= at && started_at < at + 1_000, String(started_at - at));
    assert.equal(reachedOf(gateway, people), 2);

    const soon = gateway.clock.now() + 3_000;
    const next = await ended(gateway, api, await aCampaign(gateway, fixture, people, { scheduled_at: soon }));
    assert.ok(next.started_at >= soon && next.started_at < soon + 1_000, String(next.started_at - soon));
  });

  it('publishes progress to event streams', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const { url } = (await api('POST', '/v1/events-ticket')).body;
    const stream = await fetch(`${gateway.node.url}${url}`);
    const path = await aCampaign(gateway, fixture, phones(3));
    await api('POST', `${path}/start`, {});
    const { id } = await ended(gateway, api, path);
    const told = await read(stream, 'blast.completed');
    const progress = told.filter(({ type }) => type === 'blast.progress');
    assert.ok(progress.length >= 1);
    assert.deepEqual(Object.keys(progress[0]!.data).toSorted(), ['blast_id', 'failed', 'sent', 'skipped', 'total']);
    assert.deepEqual(told.at(-1)!.data, { blast_id: id, sent: 3, failed: 0, skipped: 0 });
  });

  it('publishes its final figures, even if it has only one or two recipients', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    for (const count of [1, 2]) {
      const { url } = (await api('POST', '/v1/events-ticket')).body;
      const stream = await fetch(`${gateway.node.url}${url}`);
      const path = await aCampaign(gateway, fixture, phones(count));
      await api('POST', `${path}/start`, {});
      const { id } = await ended(gateway, api, path);
      const progress = (await read(stream, 'blast.completed')).filter(({ type }) => type === 'blast.progress');
      assert.deepEqual(progress.at(-1)?.data, { blast_id: id, sent: count, failed: 0, skipped: 0, total: count });
    }
  });
});

async function ended(gateway: Gateway, api: Api, path: string) {
  return gateway.until('it is completed', async () => {
    const { body } = await api('GET', path);
    return body.status === 'completed' ? body : null;
  });
}

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of a stream up to one of that type. */
async function read(stream: Response, last: string): Promise<readonly Told[]> {
  const told: Told[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of stream.body!) {
    text += decoder.decode(part, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop()!;
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data) told.push(JSON.parse(data));
    }
    if (told.some(({ type }) => type === last)) break;
  }
  return told;
}
