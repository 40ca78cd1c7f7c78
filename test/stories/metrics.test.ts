import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { REFUSALS } from '../../actors/domain/refusals.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { answering, aReceiver, SECRET } from '../actors/services/webhooks/receiver.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { eachStore } from '../support/stores.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../..', 'docs/metrics.md'), 'utf8');
/** Metrics of the process, which its library names. */
const OF_PROCESS = /^(process|nodejs)_/;

/** Without those of the process: another kind of garbage collection is another series. */
const ofGateway = ({ series }: Scrape): Scrape['series'] => series.filter(({ name }) => !OF_PROCESS.test(name));

const namesIn = (text: string): string[] => [...text.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);

/** The catalogue as the page has it. */
const catalogue = [...PAGE.matchAll(/^\| `(\w+)` +\| (counter|gauge|histogram) +\| (.+?) +\| \S/gm)].map(([, name, type, labels = '']) => ({
  name,
  type,
  labels: namesIn(labels),
}));
const valuesOf = new Map([...PAGE.matchAll(/^\| `(\w+)` +\| ([^|]+)\|$/gm)].map(([, label = '', values = '']) => [label, namesIn(values)]));

/** Waits until a value is `least` or more; gives what is served then. */
async function onceAt(gateway: Gateway, least: number, name: string, labels: Readonly<Record<string, string>>): Promise<Scrape> {
  return gateway.until(`${name} is ${least}`, async () => {
    const now = await scrape(gateway.node.url);
    return now.value(name, labels) >= least && now;
  });
}

/** Names and label values of what is served, without what the documents say to be free. */
function strangeLabels(scraped: Scrape): readonly string[] {
  const isKnown = (label: string, value: string): boolean => {
    if (label === 'le') return true;
    if (label === 'row') return /^[a-zA-Z]\w*$/.test(value);
    if (label === 'status') return /^[1-5]\d\d$/.test(value);
    if (label === 'code') return value in REFUSALS;
    return valuesOf.get(label)?.includes(value) ?? false;
  };
  return ofGateway(scraped).flatMap(({ name, labels }) =>
    Object.entries(labels)
      .filter(([label, value]) => !isKnown(label, value))
      .map(([label, value]) => `${name} ${label}=${value}`),
  );
}

eachStore('the metrics page', (kind) => {
  it('shows sent and queued messages, lost connections and undelivered webhooks', async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, config: { egress_allow: [receiver.place] } });
    const tenant = await gateway.signUp();
    const device = await tenant.linked(PHONE);
    const before = await scrape(gateway.node.url);

    await device.text(ANNA, 'hello');
    const after = await onceAt(gateway, before.value('gateway_sends_total', { outcome: 'delivered' }) + 1, 'gateway_sends_total', {
      outcome: 'delivered',
    });
    const grown = (name: string, labels = {}) => after.value(name, labels) - before.value(name, labels);
    assert.equal(grown('gateway_messages_accepted_total', { lane: 'reply' }), 1);
    assert.equal(grown('gateway_sends_total', { outcome: 'sent' }), 1);
    for (const step of ['accepted_to_sent', 'sent_to_delivered'])
      assert.equal(grown('gateway_send_duration_seconds_count', { step, lane: 'reply' }), 1, step);
    assert.equal(after.value('gateway_devices', { state: 'connected' }), 2, "ours and the platform's");
    assert.ok(grown('gateway_store_operations_total', { operation: 'insertOne' }) > 0);
    assert.ok(after.value('gateway_store_duration_seconds_count', { operation: 'findOne' }) > 0);
    assert.equal(after.value('gateway_ready', { check: 'store' }), 1);
    assert.equal(after.value('gateway_actors_homeless'), 0);

    receiver.answer(answering(500));
    await tenant.api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['message.received'] });
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'hi' } });
    const failing = await onceAt(gateway, 1, 'gateway_webhook_attempts_total', { outcome: 'retried' });
    assert.equal(failing.value('gateway_webhook_failures_total', { error: 'status_5xx' }), 1);
    assert.equal(failing.value('gateway_messages_received_total'), 1);
    await gateway.clock.advance(5_000);
    assert.equal((await scrape(gateway.node.url)).value('gateway_webhook_backlog'), 1);
    receiver.answer(answering(204));
    assert.equal(
      (await onceAt(gateway, 1, 'gateway_webhook_attempts_total', { outcome: 'delivered' })).value(
        'gateway_webhook_delivery_seconds_count',
      ),
      1,
    );

    await tenant.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 60_000, max_delay_ms: 60_000 } });
    for (const text of ['one', 'two', 'three', 'four']) await device.text(ANNA, text);
    await gateway.clock.advance(20_000);
    const waiting = await scrape(gateway.node.url);
    const depth = waiting.value('gateway_queue_messages', { lane: 'reply' });
    assert.ok(depth >= 2 && depth <= 4, String(depth));
    const oldest = waiting.value('gateway_queue_oldest_seconds', { lane: 'reply' });
    assert.ok(oldest >= 20 && oldest < 120, String(oldest));
    assert.equal(waiting.value('gateway_queue_messages', { lane: 'campaign' }), 0);
    assert.equal(waiting.value('gateway_queue_unseen_devices'), 0);

    gateway.sandbox.device(PHONE).fault({ kind: 'drop', forMs: 3_600_000 });
    await onceAt(gateway, 1, 'gateway_devices', { state: 'disconnected' });
  });

  it('matches the documented metrics, and has no labels that identify tenants', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory() });
    const { types } = await scrape(gateway.node.url);
    const served = [...types].filter(([name]) => !OF_PROCESS.test(name));
    assert.deepEqual(Object.fromEntries(catalogue.map(({ name, type }) => [name, type])), Object.fromEntries(served));

    const tenants = await Promise.all(
      Array.from({ length: 6 }, (_one, nth) => gateway.signUp(`Shop ${nth}`, `+62 811-0000-77${10 + nth}`)),
    );
    const series = async () => ofGateway(await scrape(gateway.node.url)).length;
    const one = async ({ api }: (typeof tenants)[number], nth: number) => {
      const { id } = (await api('POST', '/v1/sessions', { name: `d${nth}` })).body;
      await api('POST', `/v1/sessions/${id}/messages`, { to: 'nobody', text: 'x' });
      await api('POST', `/v1/sessions/${nth}x/messages/${nth}`, {});
      await api('GET', `/v1/contacts/${nth}?label="} 1`);
      await api('GET', `/v1/unknown-${nth}`);
      for (let call = 0; call < 12; call += 1) await api('POST', `/v1/sessions/${id}/validate`, { phones: [`+62812000${nth}`] });
    };
    await one(tenants[0]!, 0);
    const afterOne = await series();
    for (const [nth, tenant] of tenants.entries()) await one(tenant, nth);
    const flooded = await scrape(gateway.node.url);
    assert.equal(ofGateway(flooded).length, afterOne, 'as many series as with one tenant');
    assert.deepEqual(strangeLabels(flooded), []);
    assert.ok(flooded.sum('gateway_limit_refusals_total') > 0);
    assert.ok(flooded.value('gateway_refusals_total', { code: 'RATE_LIMITED' }) > 0);
    const labels = new Map(catalogue.map(({ name = '', labels }) => [name, labels]));
    for (const { name, labels: own } of ofGateway(flooded)) {
      const listed = labels.get(name) ?? labels.get(name.replace(/_(bucket|sum|count)$/, ''));
      assert.deepEqual(
        Object.keys(own)
          .filter((label) => label !== 'le')
          .sort(),
        [...(listed ?? [])].sort(),
        name,
      );
    }
  });
});
