import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { phones } from '../actors/campaign/campaign-fixture.ts';
import { aWebhookFixture } from '../actors/services/webhooks/webhooks-fixture.ts';
import { ANNA, type Answer, type Api, codeOn, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const DAY = 86_400_000;
const BEN = '6281211110002';
const QUOTA = 10;
const PLANS = plansFrom({ free: { messages: QUOTA }, starter: { messages: 2 * QUOTA }, pro: { messages: 3 * QUOTA } });

interface Office {
  readonly gateway: Gateway;
  readonly api: Api;
  /** Sends `count` texts, waits until they have been sent or have failed, and returns their ids. */
  send(count: number, to?: string): Promise<readonly string[]>;
  /** Starts a campaign to this number of people and returns its path. */
  campaign(people: number): Promise<string>;
  /** The log entries of messages. */
  log(ids: readonly string[]): Promise<readonly Answer['body'][]>;
  /** Warnings that were delivered, in order. */
  warned(): readonly string[];
  /** Warnings on the owner's phone. */
  shown(): readonly string[];
  buy(plan: string): Promise<void>;
  retry(): Promise<Answer>;
  /** The wall clock moves on, and the owner signs in again. */
  later(ms: number): Promise<void>;
}

async function anOffice(scope: Scope, kind: StoreKind): Promise<Office> {
  const { gateway, acme, device, subscribe, receiver } = await aWebhookFixture(scope, kind, { plans: PLANS });
  await subscribe(['quota.warning']);
  let login = acme.api;
  const api: Api = (...call) => login(...call);
  const texts = () =>
    gateway.sandbox
      .phone(acme.phone)
      .messages(50)
      .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));
  const log = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await api('GET', `${device.path}/messages/${id}`)).body));
  return {
    gateway,
    api,
    log,
    async campaign(people) {
      await api('PUT', '/v1/settings', { send_window: { enabled: false } });
      const recipients = phones(people).map((phone) => ({ phone }));
      const draft = { session_id: device.id, name: 'Sale', message_type: 'text', body: 'Sale', recipients };
      const path = `/v1/blasts/${(await api('POST', '/v1/blasts', draft)).body.id}`;
      await api('POST', `${path}/start`, {});
      return path;
    },
    async send(count, to = ANNA) {
      const ids: string[] = [];
      for (let nth = 0; nth < count; nth += 1)
        ids.push((await api('POST', `${device.path}/messages`, { chat_id: to, type: 'text', body: `text ${nth}` })).body.id);
      await gateway.until('none waits', async () => (await log(ids)).every(({ status }) => status !== 'queued'));
      return ids;
    },
    warned: () => receiver.of('quota.warning').map(({ body: { data } }) => `${data.level} % of ${data.limit}`),
    shown: () => texts().filter((text) => text.includes('% pesan bulan ini')),
    async buy(plan) {
      const { invoice } = (await gateway.during(api('POST', '/v1/billing/checkout', { plan, provider: 'sandbox' }))).body;
      await gateway.during(gateway.api('POST', `/sandbox/pay/${invoice.id}`, { outcome: 'paid' }));
    },
    retry: () => gateway.during(api('POST', '/v1/billing/retry-unsent')),
    async later(ms) {
      gateway.clock.jump(ms);
      const phone = `+${acme.phone}`;
      await gateway.during(gateway.api('POST', '/auth/request-otp', { phone }));
      const code = codeOn(gateway.sandbox, acme.phone);
      login = gateway.as((await gateway.api('POST', '/auth/verify-otp', { phone, code })).body.token);
    },
  };
}

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
const statuses = (entries: readonly Answer['body'][]) => [...new Set(entries.map(({ status }) => status))];

eachStore('a monthly quota warning', (kind) => {
  it('is sent once at 80% and once at 100%, both as an event and as a message', async (t) => {
    const { gateway, send, warned, shown } = await anOffice(t, kind);
    await send(7);
    await gateway.clock.advance(5_000);
    assert.deepEqual([warned(), shown()], [[], []]);
    await send(1);
    await gateway.until('the first warning', () => shown().length === 1 && warned().length === 1);
    assert.deepEqual([warned(), shown()], [['80 % of 10'], ['80 % pesan bulan ini telah terpakai: 8 dari 10.']]);
    await send(2);
    await gateway.until('the second warning', () => shown().length === 2 && warned().length === 2);
    await send(3);
    await gateway.clock.advance(120_000);
    await send(1);
    await gateway.clock.advance(5_000);
    assert.deepEqual([warned(), shown().length], [['80 % of 10', '100 % of 10'], 2]);
  });

  it('is sent again when a new plan brings a new quota', async (t) => {
    const { gateway, send, warned, buy } = await anOffice(t, kind);
    await send(QUOTA + 1);
    await gateway.until('it is full', () => warned().includes('100 % of 10'));
    await buy('starter');
    await gateway.clock.advance(60_000);
    await send(6);
    await gateway.until('80 % of more', () => warned().includes('80 % of 20'));
    await send(4);
    await gateway.until('100 % of more', () => warned().includes('100 % of 20'));
    assert.deepEqual(warned().slice(-3), ['100 % of 10', '80 % of 20', '100 % of 20']);
  });

  it('is sent again in a new month', async (t) => {
    const { gateway, send, warned, later } = await anOffice(t, kind);
    await send(QUOTA);
    await gateway.until('it is full', () => warned().includes('100 % of 10'));
    const before = warned().length;
    await later(31 * DAY);
    await send(8);
    await gateway.until('80 % of the next', () => warned().length === before + 1);
    assert.equal(warned().at(-1), '80 % of 10');
  });
});

eachStore('a message that failed because of the quota', (kind) => {
  it('is queued by a retry call after a payment, and is delivered and counted once', async (t) => {
    const { gateway, api, send, log, retry, buy } = await anOffice(t, kind);
    await send(QUOTA);
    const stopped = await send(4, BEN);
    assert.deepEqual([...new Set((await log(stopped)).map(({ status, error }) => `${status}: ${error}`))], ['failed: quota_exceeded']);
    assert.deepEqual((await retry()).body, { retried: 0 });
    await buy('starter');
    const [one, other] = await Promise.all([retry(), retry()]);
    assert.deepEqual([one.status, other.status, one.body.retried + other.body.retried], [202, 202, 4]);
    await gateway.until('they arrive', async () => statuses(await log(stopped)).join() === 'read');
    assert.deepEqual((await retry()).body, { retried: 0 });
    assert.equal(gateway.sandbox.phone(BEN).messages(50).length, 4);
    assert.equal((await api('GET', '/v1/billing')).body.quota.used, QUOTA + 4);
  });

  it('is also sent by a retry call if it belongs to a campaign, which then counts it as sent', async (t) => {
    const { gateway, api, campaign, log, retry, buy } = await anOffice(t, kind);
    const path = await campaign(QUOTA + 3);
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    const stopped = (await api('GET', `${path}/recipients?status=failed`)).body.recipients;
    assert.deepEqual([...new Set((await log(idsOf(stopped))).map(({ error }) => error))], ['quota_exceeded']);
    await buy('starter');
    assert.deepEqual((await retry()).body, { retried: 3 });
    await gateway.until('they count', async () => (await api('GET', path)).body.sent_count === QUOTA + 3);
    assert.equal((await api('GET', path)).body.failed_count, 0);
    assert.equal((await api('GET', '/v1/billing')).body.quota.used, QUOTA + 3);
  });

  it('is not retried while its campaign is paused, cancelled or deleted, and is retried once it resumes', async (t) => {
    const { gateway, api, campaign, retry, buy } = await anOffice(t, kind);
    const failedIn = async (path: string): Promise<readonly unknown[]> =>
      (await api('GET', `${path}/recipients?status=failed`)).body.recipients;
    const ordered = async (order: string): Promise<string> => {
      // What is on the wire keeps the campaign from its end.
      gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 10_000 });
      const path = await campaign(2 * QUOTA);
      await gateway.until('some are stopped', async () => (await failedIn(path)).length > 0);
      assert.equal((await gateway.during(api('POST', `${path}/${order}`))).status, 200);
      await gateway.clock.advance(60_000);
      return path;
    };
    const cancelled = await ordered('cancel');
    await buy('starter');
    const paused = await ordered('pause');
    const { length: stopped } = await failedIn(paused);
    await buy('pro');
    assert.deepEqual((await retry()).body, { retried: 0 });
    assert.equal((await api('DELETE', cancelled)).status, 200);
    assert.deepEqual((await retry()).body, { retried: 0 });
    await api('POST', `${paused}/resume`);
    assert.deepEqual((await retry()).body, { retried: stopped });
  });

  it('is not retried after an opt-out if it belongs to a campaign or if consent is enforced', async (t) => {
    const { gateway, api, campaign, send, log, retry, buy } = await anOffice(t, kind);
    await send(QUOTA - 1);
    const path = await campaign(3);
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    const [stopped, other] = (await api('GET', `${path}/recipients?status=failed`)).body.recipients;
    const [toBen] = await send(1, BEN);
    const [toAnna] = await send(1);
    for (const phone of [stopped.phone, BEN]) await api('PUT', `/v1/consent/${phone}`, { status: 'opted_out' });
    await api('PUT', '/v1/consent/config', { enforce_api: true });
    await buy('starter');
    assert.deepEqual((await retry()).body, { retried: 2 });
    await gateway.until('they left', async () => !statuses(await log([toAnna ?? '', other.id])).includes('queued'));
    assert.deepEqual(statuses(await log([toBen ?? '', stopped.id])), ['failed']);
    await api('PUT', '/v1/consent/config', { enforce_api: false });
    assert.deepEqual((await retry()).body, { retried: 1 });
    assert.deepEqual(statuses(await log([stopped.id])), ['failed']);
  });

  it('is sent after single messages if it belongs to a campaign', async (t) => {
    const { gateway, api, campaign, send, log, retry, buy } = await anOffice(t, kind);
    await send(QUOTA);
    const stopped = await send(2, BEN);
    const path = await campaign(QUOTA);
    await gateway.until('it is completed', async () => (await api('GET', path)).body.status === 'completed');
    await buy('starter');
    assert.deepEqual((await retry()).body, { retried: QUOTA });
    await gateway.until('they arrive', async () => statuses(await log(stopped)).join() === 'read');
  });

  it('is retried only up to the quota, and the next retry call sends the remaining messages', async (t) => {
    const { send, log, retry, buy, gateway } = await anOffice(t, kind);
    await send(QUOTA);
    const stopped = await send(QUOTA + 3);
    await buy('starter');
    assert.deepEqual((await retry()).body, { retried: QUOTA });
    await gateway.until('they left', async () => !statuses(await log(stopped)).includes('queued'));
    assert.equal((await log(stopped)).filter(({ status }) => status === 'failed').length, 3);
    await buy('pro');
    assert.deepEqual((await retry()).body, { retried: 3 });
  });

  it('is not retried if it is older than a day or failed for another reason', async (t) => {
    const { gateway, send, log, retry, buy, later } = await anOffice(t, kind);
    await send(QUOTA - 1);
    gateway.sandbox.phone(BEN).set({ onNetwork: false });
    const mistaken = await send(1, BEN);
    const old = await send(2);
    await later(DAY + 60_000);
    const late = await send(2);
    assert.deepEqual(
      (await log([...mistaken, ...old, ...late])).map(({ error }) => error),
      ['not_on_network', ...Array<string>(4).fill('quota_exceeded')],
    );
    await buy('starter');
    assert.deepEqual((await retry()).body, { retried: 2 });
    await gateway.until('they left', async () => !statuses(await log(late)).includes('queued'));
    assert.deepEqual([statuses(await log([...mistaken, ...old])), statuses(await log(late)).includes('failed')], [['failed'], false]);
  });
});
