import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { it } from 'node:test';
import { type Callback, callbackOf, keysFor, PROVIDERS, type Provider, stripeSignature, TOKEN } from '../support/billing/callbacks.ts';
import { midtransStatus, type Page, providerDoubles } from '../support/billing/provider-doubles.ts';
import { aCluster } from '../support/cluster.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

/** `PAYMENT_REPLAYS=1000`: the longer form. */
const REPLAYS = Number(process.env['PAYMENT_REPLAYS'] ?? 120);
const CONNECTIONS = 8;

/** Two nodes, and a page that a tenant was given to pay at. */
async function twoTills(scope: Scope, kind: StoreKind, provider: Provider) {
  const doubles = await providerDoubles(scope);
  const cluster = await aCluster(scope, kind, keysFor(doubles));
  const nodes = [await cluster.node('a'), await cluster.node('b')];
  const [first] = nodes;
  assert.ok(first);
  const tenant = await first.signUp();
  const { api } = tenant;
  const currency = provider === 'stripe' ? 'USD' : 'IDR';
  const { body } = await first.during(api('POST', '/v1/billing/checkout', { plan: 'pro', provider, currency }));
  const receipts = () =>
    cluster.sandbox
      .phone(tenant.phone)
      .messages(50)
      .filter(({ content }) => content.type === 'text' && content.body.includes('INV-'));
  return {
    clock: cluster.clock,
    first,
    api,
    doubles,
    receipts,
    page: doubles.page(body.invoice.id),
    post: overConnections(
      scope,
      nodes.map(({ node }) => node.url),
    ),
    billing: async () => (await api('GET', '/v1/billing')).body,
    actions: async (): Promise<readonly string[]> =>
      (await api('GET', '/v1/audit?limit=100')).body.entries.map(({ action }: { action: string }) => action),
  };
}

/** Posts all of them, in turn over the connections, each of which belongs to one node; gives `status body`. */
function overConnections(scope: Scope, urls: readonly string[]) {
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  scope.after(() => {
    for (const agent of agents) agent.destroy();
  });
  return async (count: number, callback: (nth: number) => Callback): Promise<readonly string[]> => {
    let next = 0;
    const answers: string[] = [];
    const worker = async (agent: Agent, nth: number): Promise<void> => {
      const url = urls[nth % urls.length] ?? '';
      while (next < count) answers.push(await posted(agent, url, callback(next++)));
    };
    await Promise.all(agents.map(worker));
    return answers;
  };
}

function posted(agent: Agent, url: string, { path, body, headers }: Callback): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}${path}`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
        answer.on('end', () => resolve(`${answer.statusCode} ${Buffer.concat(chunks).toString()}`));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** A call about a page that is paid, by somebody who does not have the provider's secret. */
function forged(provider: Provider, page: Page, now: number, nth: number): Callback {
  const genuine = callbackOf(provider, page, now);
  if (provider === 'midtrans') {
    const changes = [
      { signature_key: hex(64) },
      { gross_amount: '1.00' },
      { status_code: '201' },
      { order_id: `${page.ref}-2` },
      { signature_key: undefined },
    ];
    return { ...genuine, body: JSON.stringify({ ...midtransStatus(page), ...changes[nth % changes.length] }) };
  }
  if (provider === 'xendit') {
    const tokens = [hex(12), `${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase(), ''];
    return { ...genuine, headers: { 'x-callback-token': tokens[nth % tokens.length] ?? '' } };
  }
  const [at, { body }] = [Math.floor(now / 1000), genuine];
  const signatures = [
    `t=${at},v1=${hex(32)}`,
    stripeSignature(body, at - 301),
    stripeSignature(body, at + 3_600),
    stripeSignature(`${body} `, at),
    stripeSignature(body, at).replace('v1=', 'v0='),
  ];
  return { ...genuine, headers: { 'stripe-signature': signatures[nth % signatures.length] ?? '' } };
}

eachStore('a replayed payment callback', (kind) => {
  for (const provider of PROVIDERS) {
    it(`takes effect once across 8 connections and 2 nodes, and always gets a 200 (${provider})`, async (t) => {
      const { clock, first, page, post, billing, actions, receipts, doubles } = await twoTills(t, kind, provider);
      page.paid = true;
      const callback = callbackOf(provider, page, clock.now());
      const answers = await post(REPLAYS, () => callback);
      assert.deepEqual([answers.length, [...new Set(answers)]], [REPLAYS, ['200 {"ok":true}']]);
      await first.until('the receipt comes', () => receipts().length > 0);
      await clock.advance(120_000);
      const { plan, credit, status } = await billing();
      assert.deepEqual([plan, status, credit.amount, receipts().length], ['pro', 'active', 0, 1]);
      const done = (await actions()).filter((action) => action === 'payment.settle' || action === 'plan.change');
      assert.deepEqual(done.toSorted(), ['payment.settle', 'plan.change']);
      assert.ok(doubles.asked > 0);
    });

    it(`has no effect if it is forged, and triggers no call to the provider (${provider})`, async (t) => {
      const { clock, page, post, billing, actions, doubles } = await twoTills(t, kind, provider);
      page.paid = true;
      const answers = await post(REPLAYS, (nth) => forged(provider, page, clock.now(), nth));
      const codes = answers.map((answer) => /"code":"(\w+)"/.exec(answer)?.[1] ?? answer);
      // Who guesses too often is told to wait.
      assert.deepEqual([...new Set(codes)].toSorted(), ['BAD_SIGNATURE', 'RATE_LIMITED']);
      assert.deepEqual([answers.length, (await billing()).plan, doubles.asked], [REPLAYS, 'free', 0]);
      assert.equal((await actions()).includes('payment.settle'), false);
      // The provider may call from the same address.
      assert.deepEqual(await post(1, () => callbackOf(provider, page, clock.now())), ['200 {"ok":true}']);
      assert.equal((await billing()).plan, 'pro');
    });
  }
});
