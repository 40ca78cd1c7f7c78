import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster } from '../support/cluster.ts';
import type { Answer } from '../support/gateway.ts';
import { signed } from '../support/online-stores/platform.ts';
import { SHOPIFY_ORDER } from '../support/online-stores/shop.ts';
import { eachStore } from '../support/stores.ts';

/** A server of its own handles them more slowly than what is in the process. */
const COPIES = { embedded: 1_000, mongodb: 400 };
const CONNECTIONS = 8;
const PER_MINUTE = 300;
const SECRET = 'shopify-signing-secret-0001';
const BUYER = '6281234567890';

eachStore('a repeated store webhook', (kind) => {
  it('triggers only one message, even across two nodes and among forged calls', async (t) => {
    const copies = COPIES[kind.name];
    const cluster = await aCluster(t, kind);
    const nodes = [await cluster.node('a'), await cluster.node('b')] as const;
    const { devices, at } = await cluster.fleet(1, nodes[0]);
    const api = at(nodes[0]);
    await api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } });
    const order = { platform: 'platform_a', name: 'Toko', session_id: devices[0]!.id, secret: SECRET };
    const { integration } = (await api('POST', '/v1/store-integrations', order)).body;
    const path = new URL(integration.webhook_url).pathname;
    const body = JSON.stringify({ ...SHOPIFY_ORDER, created_at: new Date(cluster.clock.now()).toISOString() });
    const call = (nth: number, secret: string): Promise<Answer> =>
      nodes[nth % 2]!.api('POST', path, body, { 'x-shopify-hmac-sha256': signed(secret, body), 'x-shopify-topic': 'orders/create' });

    const forged = await Promise.all(Array.from({ length: 20 }, (_, nth) => call(nth, 'somebody else')));
    assert.ok(forged.every(({ status }) => status === 401));

    const answers: Answer[] = [];
    let next = 0;
    const connection = async (): Promise<void> => {
      while (next < copies) answers.push(await call(next++, SECRET));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
    assert.equal(count(200) + count(429), copies);
    assert.ok(count(200) >= PER_MINUTE, `${count(200)} were accepted`);

    const shown = () => cluster.sandbox.phone(BUYER).messages(100);
    await cluster.waited('the order is announced', () => shown().length > 0);
    const events = async () => (await at(nodes[1])('GET', `/v1/store-integrations/${integration.id}/events`)).body.items;
    await cluster.waited('all are handled', async () => (await events()).length === 50);
    await cluster.clock.advance(60_000);
    assert.equal(shown().length, 1);
    const said = answers.flatMap(({ body }) => body.outcome ?? []);
    assert.ok(said.filter((outcome) => outcome === 'sent').length <= 1, 'sent twice');
    assert.deepEqual([...new Set((await events()).map(({ outcome }: { outcome: string }) => outcome))], ['duplicate']);
    assert.deepEqual((await api('GET', `${devices[0]!.path}/scheduled`)).body.scheduled.length, 1);
    // What was too much is received when it comes again.
    assert.equal((await call(0, SECRET)).status, 200);
  });
});
