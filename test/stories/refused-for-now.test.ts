import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANNA, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { aLog } from '../support/log.ts';
import { scrape } from '../support/scrape.ts';
import { eachStore, embedded } from '../support/stores.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

async function aShop(gateway: Gateway) {
  const shop = await gateway.signUp();
  const device = await shop.linked(PHONE);
  const pacing = { min_delay_ms: 0, max_delay_ms: 0 };
  assert.equal((await shop.api('PUT', '/v1/settings', { pacing, send_window: { enabled: false } })).status, 200);
  return { shop, device };
}

const refuse = ({ sandbox }: Gateway, code: number, times: number, backoff_s?: number) =>
  sandbox.device(PHONE).fault({ kind: 'ack', code, times, ...(backoff_s !== undefined && { backoffMs: backoff_s * SECOND }) });

const arrived = ({ sandbox }: Gateway): readonly string[] =>
  sandbox
    .phone(ANNA)
    .messages()
    .flatMap(({ content }) => ('body' in content && content.body ? [content.body] : []));

/** When the network was given this message, and refused or took it. */
const triesOf = ({ sandbox }: Gateway, netId: string): readonly number[] =>
  sandbox.journal
    .after(0)
    .filter((entry) => entry.netId === netId && (entry.what === 'refused' || entry.what === 'accepted'))
    .map(({ at }) => at);

const netIdOf = ({ sandbox }: Gateway): string =>
  sandbox.journal.after(0).findLast(({ what }) => what === 'refused')?.netId ?? assert.fail('nothing was refused');

async function quotaOf({ api }: Tenant): Promise<number> {
  return (await api('GET', '/v1/usage')).body.messages.used;
}

const errorOf = async (device: Device, id: string) => (await device.message(id)).error;

eachStore('a temporarily refused message', (kind) => {
  for (const code of [429, 503])
    it(`is delivered once under its original id after ${code}, and is counted only once`, async (t) => {
      const { log, lines } = aLog();
      const gateway = await aGateway(t, { kind, log });
      const { shop, device } = await aShop(gateway);
      const before = await quotaOf(shop);
      refuse(gateway, code, 2);
      const id = await device.text(ANNA, 'Hello');
      await gateway.until('it was refused', async () => (await device.message(id)).waiting);
      const { status, error, waiting, sent_at } = await device.message(id);
      assert.deepEqual([status, error, waiting.reason, sent_at], ['queued', null, 'backoff', null]);
      assert.ok(waiting.until > gateway.clock.now() && waiting.until <= gateway.clock.now() + 5 * SECOND);
      const netId = netIdOf(gateway);
      await gateway.clock.advance(20 * SECOND);
      await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
      assert.equal((await device.message(id)).waiting, undefined);
      const [first = 0, ...later] = triesOf(gateway, netId).map((at) => Math.round(at / SECOND));
      assert.deepEqual(
        later.map((at) => at - first),
        [5, 15],
      );
      assert.deepEqual(arrived(gateway), ['Hello']);
      assert.equal((await quotaOf(shop)) - before, 1);
      assert.equal(lines('message.refused_for_now').length, 2);
      assert.equal((await scrape(gateway.node.url)).value('gateway_messages_refused_for_now_total', { number: `${code}` }), 2);
    });

  it('keeps its number of attempts after a restart, and fails after six attempts', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { shop, device } = await aShop(gateway);
    refuse(gateway, 503, 100);
    const id = await device.text(ANNA, 'Hello');
    await gateway.until('it was refused', async () => (await device.message(id)).waiting);
    const next = await gateway.crash();
    const api = next.as(shop.tokens.token);
    const found = async () => (await api('GET', `${device.path}/messages/${id}`)).body;
    await next.clock.advance(10 * MINUTE);
    await next.until('it failed', async () => (await found()).status === 'failed');
    assert.equal((await found()).error, 'refused_503');
    assert.equal(triesOf(next, netIdOf(next)).length, 6);
    assert.deepEqual(arrived(next), []);
  });
});

eachStore('a throttled device', (kind) => {
  it('keeps its backoff after a restart, until the network accepts a message again', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { shop, device } = await aShop(gateway);
    refuse(gateway, 429, 1, 10 * 60);
    const first = await device.text(ANNA, 'one');
    await gateway.until('it was refused', async () => (await device.message(first)).waiting);
    assert.equal((await shop.api('DELETE', `${device.path}/messages/${first}`)).status, 200);
    await device.text(ANNA, 'two');
    const next = await gateway.crash();
    const api = next.as(shop.tokens.token);
    await next.until('it is online', async () => (await api('GET', device.path)).body.status === 'connected');
    await next.clock.advance(5 * MINUTE);
    assert.deepEqual(arrived(next), []);
    await next.clock.advance(6 * MINUTE);
    await next.until('the other is there', () => arrived(next).length === 1);
    const again = await next.crash();
    const sent = await again.as(shop.tokens.token)('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'three' });
    assert.equal(sent.status, 202);
    await again.until('it leaves at once', () => arrived(again).length === 2);
    assert.deepEqual(arrived(again).toSorted(), ['three', 'two']);
  });
});

describe('temporarily refused messages', () => {
  it('wait as long as the network requests, and pause the whole device after a 429', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { device } = await aShop(gateway);
    refuse(gateway, 429, 1, 20);
    const id = await device.text(ANNA, 'one');
    await gateway.until('it was refused', async () => (await device.message(id)).waiting);
    await device.text(ANNA, 'two');
    await gateway.clock.advance(15 * SECOND);
    assert.deepEqual(arrived(gateway), []);
    await gateway.clock.advance(10 * SECOND);
    await gateway.until('both are there', () => arrived(gateway).length === 2);
  });

  it('do not delay other messages after a 503', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { device } = await aShop(gateway);
    refuse(gateway, 503, 1);
    await device.text(ANNA, 'one');
    await gateway.until('it was refused', () => gateway.sandbox.journal.of('refused').length === 1);
    await device.text(ANNA, 'two');
    await gateway.until('the second is there', () => arrived(gateway).includes('two'));
    assert.deepEqual(arrived(gateway), ['two']);
    await gateway.clock.advance(6 * SECOND);
    await gateway.until('so is the first', () => arrived(gateway).length === 2);
  });

  it('are retried briefly if they are edits, and fail after six attempts', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { shop, device } = await aShop(gateway);
    const id = await device.text(ANNA, 'Hello');
    await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
    const edit = (body: string) => gateway.during(shop.api('PATCH', `${device.path}/messages/${id}`, { body }));
    refuse(gateway, 503, 1);
    assert.equal((await edit('Hello, Anna')).status, 200);
    assert.equal((await device.message(id)).body, 'Hello, Anna');
    refuse(gateway, 503, 6);
    assert.equal((await edit('Bye')).body.code, 'DEVICE_TIMEOUT');
    await gateway.clock.advance(10 * MINUTE);
    refuse(gateway, 503, 0);
    await gateway.clock.advance(10 * MINUTE);
    assert.equal((await device.message(id)).body, 'Hello, Anna');
  });

  it('are retried within the original request if they contain one-time codes', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    gateway.sandbox.device('12025550100').fault({ kind: 'ack', code: 503, times: 2 });
    const phone = '+62 811-0000-9999';
    const { status } = await gateway.during(gateway.api('POST', '/auth/register', { name: 'Acme', phone }));
    assert.equal(status, 200);
    assert.equal(gateway.sandbox.phone('6281100009999').messages().length, 1);
    gateway.sandbox.device('12025550100').fault({ kind: 'ack', code: 503, times: 100 });
    const late = await gateway.during(gateway.api('POST', '/auth/register', { name: 'Other', phone: '+62 811-0000-9998' }));
    assert.ok(late.status >= 500, `${late.status} ${JSON.stringify(late.body)}`);
  });

  it('can be cancelled, which refunds their quota', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { shop, device } = await aShop(gateway);
    const before = await quotaOf(shop);
    refuse(gateway, 503, 1);
    const id = await device.text(ANNA, 'Hello');
    await gateway.until('it was refused', async () => (await device.message(id)).waiting);
    assert.equal((await shop.api('DELETE', `${device.path}/messages/${id}`)).status, 200);
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(arrived(gateway), []);
    assert.equal(await quotaOf(shop), before);
  });

  it('fail as soon as they expire or are refused permanently', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { device } = await aShop(gateway);
    refuse(gateway, 479, 1);
    const final = await device.text(ANNA, 'one');
    await gateway.until('it failed', async () => (await device.message(final)).status === 'failed');
    assert.equal(await errorOf(device, final), 'refused_479');
    refuse(gateway, 500, 1);
    const late = await device.text(ANNA, 'two', { expires_at: gateway.clock.now() + 4 * SECOND });
    await gateway.until('it failed', async () => (await device.message(late)).status === 'failed');
    assert.equal(await errorOf(device, late), 'refused_500');
  });

  it('do not cost a campaign any recipients if 429 responses continue for four seconds', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { shop, device } = await aShop(gateway);
    await gateway.operator('PATCH', `/v1/admin/tenants/${shop.id}`, { plan: 'starter' });
    const recipients = Array.from({ length: 60 }, (_, nth) => ({ phone: `62812222${String(nth).padStart(5, '0')}` }));
    const made = await shop.api('POST', '/v1/blasts', {
      name: 'Sale',
      session_id: device.id,
      message_type: 'text',
      body: 'Hello',
      recipients,
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    refuse(gateway, 429, 50);
    await shop.api('POST', `/v1/blasts/${made.body.id}/start`, {});
    const blast = async () => (await shop.api('GET', `/v1/blasts/${made.body.id}`)).body;
    await gateway.until('it is over', async () => {
      await gateway.clock.advance(10 * SECOND);
      return (await blast()).status === 'completed';
    });
    const { sent_count, failed_count } = await blast();
    assert.deepEqual([sent_count, failed_count], [60, 0]);
    for (const { phone } of recipients) assert.equal(gateway.sandbox.phone(phone).messages().length, 1, phone);
  });
});
