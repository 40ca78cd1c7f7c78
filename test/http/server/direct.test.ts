import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { it, mock } from 'node:test';
import { LimitsInMemory } from '../../../http/limits/limits.ts';
import { hired } from '../../actors/services/agents/agents-fixture.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../../support/gateway.ts';
import { aLog, type LogLine } from '../../support/log.ts';
import { scrape } from '../../support/scrape.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../../support/stores.ts';

/** hapi as it is loaded: what it is given to answer can be seen here only. */
const HapiRequest = createRequire(import.meta.url)('@hapi/hapi/lib/request.js');

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly token?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer | object | undefined;
}

interface Told {
  readonly status: number | undefined;
  readonly headers: readonly string[];
  readonly body: string;
}

const text = { chat_id: ANNA, type: 'text', body: 'Your order is on its way' };
const TEXT_OF = (body: string) => ({ ...text, body });
const JSON_TYPE = { 'content-type': 'application/json' };

/** What callers send to a furnished gateway, good and bad, in this order. */
function calls({ device, foreign, offline, tokens }: Furnished): Readonly<Record<string, Asked>> {
  const path = `${device}/messages`;
  const owner = { path, token: tokens.owner };
  const sent = (body: string | Buffer, headers: OutgoingHttpHeaders = JSON_TYPE): Asked => ({ ...owner, body, headers });
  const plain = JSON.stringify(text);
  return {
    'a login': { ...owner, body: text },
    'an agent': { path, token: tokens.agent, body: text },
    'a key': { path, token: tokens.key, body: text },
    'a key for this device': { path, token: tokens.restricted, body: text },
    'a request id': { ...owner, body: text, headers: { 'x-request-id': 'mine:1' } },
    'a request id that is none': { ...owner, body: text, headers: { 'x-request-id': 'no id at all' } },
    'a charset': sent(plain, { 'content-type': 'application/json; charset=UTF-8' }),
    'text of other scripts': { ...owner, body: TEXT_OF('Pesanan Anda 🚚 sedang dikirim — terima kasih') },
    'an answer that might be compressed': { ...owner, body: text, headers: { 'accept-encoding': 'gzip' } },
    'a page of ours': { ...owner, body: text, headers: { origin: 'https://app.example.com' } },
    'a page of others': { ...owner, body: text, headers: { origin: 'https://evil.example' } },
    'a range and an entity tag': { ...owner, body: text, headers: { range: 'bytes=0-1', 'if-none-match': '*', 'if-match': '"x"' } },
    'a cookie': { ...owner, body: text, headers: { cookie: 'a=b; c=\u00ff' } },
    'a location': { ...owner, body: { chat_id: ANNA, type: 'location', location: { lat: -6.2, lng: 106.8 } } },
    'a key of idempotency': { ...owner, body: text, headers: { 'idempotency-key': 'order-1' } },
    'the same again': { ...owner, body: text, headers: { 'idempotency-key': 'order-1' } },
    'its key for something else': { ...owner, body: TEXT_OF('Another'), headers: { 'idempotency-key': 'order-1' } },
    'a key of idempotency that is too long': { ...owner, body: text, headers: { 'idempotency-key': 'x'.repeat(300) } },
    'somebody who opted out': { ...owner, body: { ...text, chat_id: '6281211110009' } },
    'one field in vain': { ...owner, body: { ...text, caption: 'for nobody' } },

    nobody: { path, body: text },
    'a header that is no token': { path, body: text, headers: { authorization: 'Basic YTpi' } },
    'an unknown key': { path, token: 'x'.repeat(43), body: text },
    'an unknown login': { path, token: `${tokens.owner}x`, body: text },
    'a key that may only read': { path, token: tokens.reader, body: text },
    'a key for another device': { path: `${offline}/messages`, token: tokens.restricted, body: text },
    'a key from elsewhere': { path, token: tokens.elsewhere, body: text },
    'another tenant': { path, token: tokens.stranger, body: text },
    'a device of another tenant': { ...owner, path: `${foreign}/messages`, body: text },
    'a device of another tenant, by a key for one': { path: `${foreign}/messages`, token: tokens.restricted, body: text },
    'an unknown device': { ...owner, path: '/v1/sessions/01J9ZK3V5T8Q4W2N6R7X0Y1ABC/messages', body: text },
    'a device of no form': { ...owner, path: '/v1/sessions/x/messages', body: text },
    'a device that is not connected': { ...owner, path: `${offline}/messages`, body: text },
    'no body': owner,
    'an empty body': sent(''),
    'no JSON': sent('{"chat_id":'),
    'no object': sent('[1]'),
    'a type that is none': sent(plain, { 'content-type': 'text/plain' }),
    'no type': sent(plain, {}),
    'a body that is packed': sent(plain, { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    'a body in pieces': sent(plain, { ...JSON_TYPE, 'transfer-encoding': 'chunked' }),
    'a body that is waited for': sent(plain, { ...JSON_TYPE, expect: '100-continue' }),
    'a body that is too large': sent(JSON.stringify(TEXT_OF('x'.repeat(1_100_000)))),
    'no UTF-8': sent(Buffer.from(plain.replace('order', '\u00ff'), 'latin1')),
    'half a surrogate': sent(plain.replace('order', '\\ud800')),
    'a name that means something': sent('{"__proto__":{}}'),
    'a deep body': sent(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`),
    'an unknown field': { ...owner, body: { ...text, bodi: 'x' } },
    'a number that is none': { ...owner, body: { ...text, chat_id: '12' } },
    'a chat that is none': { ...owner, body: { ...text, chat_id: 'x@y.z' } },
    'a time that is past': { ...owner, body: { ...text, expires_at: 1_000_000_000_000 } },
    'a quote of nothing': { ...owner, body: { ...text, reply_to: '01J9ZK3V5T8Q4W2N6R7X0Y1ABC' } },
    'an unknown template': { ...owner, body: { chat_id: ANNA, type: 'text', template_id: '01J9ZK3V5T8Q4W2N6R7X0Y1ABC' } },
    'so many faults that they are packed': {
      ...owner,
      body: Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`field_${nth}`, nth])),
      headers: { 'accept-encoding': 'gzip' },
    },
    'faults in Indonesian': { ...owner, body: { type: 'text' }, headers: { 'x-lang': 'id' } },
    'faults in a preferred language': { ...owner, body: { type: 'text' }, headers: { 'accept-language': 'fr, id;q=0.5' } },
    'a language in the address': { ...owner, path: `${path}?lang=id`, body: { type: 'text' } },
    'a query': { ...owner, path: `${path}?loud=1`, body: text },
    'an empty query': { ...owner, path: `${path}?`, body: text },
    'a fragment': { ...owner, path: `${path}#x`, body: text },
    'a longer path': { ...owner, path: `${path}/`, body: text },
    'a path with a gap': { ...owner, path: path.replace('/messages', '//messages'), body: text },
    'a path that is encoded': { ...owner, path: path.replace('messages', '%6dessages'), body: text },
    'a path that cannot be decoded': { ...owner, path: `${path.slice(0, 14)}%zz/messages`, body: text },
    'other capitals': { ...owner, path: path.replace('messages', 'Messages'), body: text },
    'the log': { ...owner, method: 'GET', path: `${path}?limit=1&status=failed` },
    'another method': { ...owner, method: 'PUT', body: text },
    'its options': { ...owner, method: 'OPTIONS' },
    ...Object.fromEntries(
      [1, 2, 3, 4].map((nth) => [`call ${nth} of a key that has three a minute`, { path, token: tokens.slow, body: text }]),
    ),
    'a fault beyond the limit': { path, token: tokens.slow, body: {} },
  };
}

const SHOP_SECRET = 'f3a1c0d97b5e4c2286aa10de44f0b7c95d2e8a6b1c3f4e7d90ab12cd34ef5678';

/** What a store, and who pretends to be one, sends to a furnished gateway. */
function hooks({ hooks: { shop: hook, bare, woo } }: Furnished): Readonly<Record<string, Asked>> {
  const order = JSON.stringify({ id: 1001, name: '#1001', financial_status: 'paid', total_price: '293000.00', note: 'é🚚' });
  const large = JSON.stringify({ id: 1003, note: 'x'.repeat(1_500_000) });
  const signed = (body: string | Buffer, more: OutgoingHttpHeaders = {}, path = hook): Asked => ({
    path,
    body,
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'toko.myshopify.com',
      'x-shopify-hmac-sha256': createHmac('sha256', SHOP_SECRET).update(body).digest('base64'),
      ...more,
    },
  });
  return {
    'an order': signed(order),
    'the order again': signed(order),
    'a body that is large': signed(large),
    'a topic that nobody knows': signed('{"id":1002}', { 'x-shopify-topic': 'carts/moved' }),
    'no topic': signed('{"id":1002}', { 'x-shopify-topic': '' }),
    'no JSON': signed('no JSON'),
    'no UTF-8': signed(Buffer.from([0x22, 0xff, 0x22])),
    'no body': signed(''),
    'another type': signed(order, { 'content-type': 'text/plain' }),
    'no type': { ...signed(order), headers: { 'x-shopify-hmac-sha256': 'x' } },
    'a body with an offer of packing': signed(order, { 'accept-encoding': 'gzip' }),
    'a wrong signature': signed(order, { 'x-shopify-hmac-sha256': 'AAAA' }),
    'no signature': { path: hook, body: order, headers: JSON_TYPE },
    'two signatures': signed(order, { 'x-shopify-hmac-sha256': ['AAAA', 'BBBB'] }),
    'the other platform’s signature': { path: hook, body: order, headers: { ...JSON_TYPE, 'x-wc-webhook-signature': 'AAAA' } },
    'a store that nobody knows': signed(order, {}, `${hook.slice(0, -3)}xxx`),
    'a store without a secret': signed(order, {}, bare),
    'a store of another platform': signed(order, { 'x-wc-webhook-topic': 'order.created' }, woo),
    'the address check of another platform': {
      path: woo,
      body: 'webhook_id=7',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
    'its options': { path: hook, method: 'OPTIONS' },
    ...Object.fromEntries(Array.from({ length: 12 }, (_, nth) => [`forgery ${nth}`, signed(order, { 'x-shopify-hmac-sha256': 'AAAA' })])),
    'a longer path': signed(order, {}, `${hook}/`),
    'a query': signed(order, {}, `${hook}?webhook_id=1`),
    'a token of another form': signed(order, {}, '/hooks/store/a.b'),
    'a token that is too long': signed(order, {}, `/hooks/store/${'x'.repeat(120)}`),
    'a body that is packed': signed(order, { 'content-encoding': 'gzip' }),
    'a body in pieces': signed(order, { 'transfer-encoding': 'chunked' }),
    'a body that is waited for': signed(order, { expect: '100-continue' }),
    'a body that is too large': signed(JSON.stringify({ note: 'x'.repeat(2_200_000) })),
    'another method': { ...signed(order), method: 'GET', body: undefined },
  };
}

/** Those that hapi never learns of. */
const DIRECT_HOOKS = [
  ...['an order', 'the order again', 'a body that is large', 'a topic that nobody knows', 'no topic', 'no JSON', 'no UTF-8'],
  ...['no body', 'another type', 'a body with an offer of packing', 'the address check of another platform'],
];
const DIRECT = [
  ...['a login', 'an agent', 'a key', 'a key for this device', 'a request id', 'a request id that is none', 'a charset'],
  ...['text of other scripts', 'an answer that might be compressed', 'a page of ours', 'a page of others', 'a range and an entity tag'],
  ...['a cookie', 'a location', 'a key of idempotency', 'the same again', 'somebody who opted out', 'one field in vain'],
  ...[1, 2, 3].map((nth) => `call ${nth} of a key that has three a minute`),
];

interface Furnished {
  readonly device: string;
  readonly offline: string;
  readonly foreign: string;
  /** Where its stores post. */
  readonly hooks: Readonly<Record<'shop' | 'bare' | 'woo', string>>;
  readonly tokens: Readonly<Record<'owner' | 'agent' | 'key' | 'restricted' | 'reader' | 'elsewhere' | 'stranger' | 'slow', string>>;
}

interface Place extends Furnished {
  readonly gateway: Gateway;
  lines(event: string): readonly LogLine[];
}

async function aPlace(scope: Scope, kind: StoreKind): Promise<Place> {
  const { log, lines } = aLog();
  const config = { cors_origins: ['https://app.example.com'] };
  const gateway = await aGateway(scope, { kind, config, log, limits: new LimitsInMemory() });
  const { api, linked, tokens } = await gateway.signUp();
  const { id, path: device } = await linked(PHONE);
  const offline = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}`;
  await api('POST', '/v1/consent', { phone: '6281211110009', status: 'opted_out' });
  const agent = await hired(gateway, api, 'Dewi', '6281311110001');
  const other = await gateway.signUp('Globex', '+62 811-0000-5555');
  const foreign = `/v1/sessions/${(await other.api('POST', '/v1/sessions', {})).body.id}`;
  const hookOf = async (store: object): Promise<string> =>
    new URL((await api('POST', '/v1/store-integrations', { name: 'Toko', ...store })).body.integration.webhook_url).pathname;
  const hooks = {
    shop: await hookOf({ platform: 'platform_a', secret: SHOP_SECRET }),
    bare: await hookOf({ platform: 'platform_a' }),
    woo: await hookOf({ platform: 'platform_b' }),
  };
  const keyFor = async (facts: object): Promise<string> => {
    const { status, body } = await api('POST', '/v1/api-keys', { name: 'shop', scopes: ['send'], ...facts });
    assert.equal(status, 201, JSON.stringify(body));
    return body.key;
  };
  return {
    gateway,
    lines,
    ...{ device, offline, foreign, hooks },
    tokens: {
      owner: tokens.token,
      agent: agent.tokens.token,
      key: await keyFor({}),
      restricted: await keyFor({ session_ids: [id] }),
      reader: await keyFor({ scopes: ['read'] }),
      elsewhere: await keyFor({ allowed_ips: ['203.0.113.0/24'] }),
      slow: await keyFor({ rate_limit_per_minute: 3 }),
      stranger: other.tokens.token,
    },
  };
}

type Form = 'as it is' | 'by its whole address';

/** hapi alone reads an address that is written out. */
async function ask(
  agent: Agent,
  { node: { url } }: Gateway,
  form: Form,
  { path, method = 'POST', token, headers, body }: Asked,
): Promise<Told> {
  const { hostname, port } = new URL(url);
  const sent = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const call = request({
    ...{ agent, hostname, port, method },
    path: form === 'as it is' ? path : `${url}${path}`,
    headers: {
      host: 'gateway.example',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(sent !== body && JSON_TYPE),
      ...(sent !== undefined && !headers?.['transfer-encoding'] && { 'content-length': Buffer.byteLength(sent) }),
      ...headers,
    },
  });
  call.end(sent);
  const [response] = await once(call, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.rawHeaders, body: Buffer.concat(chunks).toString('latin1') };
}

const ULID = /\b[0-9A-HJKMNP-TV-Z]{26}\b/g;
const unnamed = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(ULID, 'an id')
      .replace(/"Date","[^"]*"/, '"Date","now"'),
  );

const COUNTED = /^(http_requests_total|gateway_refusals_total|gateway_messages_accepted_total)$/;

async function countsOf({ node: { url } }: Gateway): Promise<readonly string[]> {
  const { series } = await scrape(url);
  const counted = series.filter(({ name }) => COUNTED.test(name));
  return counted.map((one) => JSON.stringify(one)).sort();
}

/** Lines about requests, without what is of their moment. */
const linesOf = ({ lines }: Place): readonly unknown[] =>
  lines('')
    .filter(({ msg }) => msg === 'request' || msg === 'credentials were refused')
    .map(({ ms: _ms, time: _time, prefix, ...line }) => unnamed({ ...line, prefixed: prefix !== undefined }));

/** Asks one gateway directly and another one, furnished alike, by way of hapi: gives the names of the calls that hapi has not seen in the first, and its counts. */
async function compared(
  scope: Scope,
  kind: StoreKind,
  callsOf: (furnished: Furnished) => Readonly<Record<string, Asked>>,
): Promise<{ readonly unseen: readonly string[]; readonly counts: string }> {
  const byHapi = mock.method(HapiRequest, 'generate');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  scope.after(() => {
    byHapi.mock.restore();
    agent.destroy();
  });
  const [one, other] = [await aPlace(scope, kind), await aPlace(scope, kind)];
  const [ones, others] = [callsOf(one), callsOf(other)];
  const unseen: string[] = [];
  for (const name of Object.keys(ones)) {
    byHapi.mock.resetCalls();
    const answer = await ask(agent, one.gateway, 'as it is', ones[name]!);
    if (byHapi.mock.callCount() === 0) unseen.push(name);
    assert.deepEqual(unnamed(answer), unnamed(await ask(agent, other.gateway, 'by its whole address', others[name]!)), name);
  }
  const counts = await countsOf(one.gateway);
  assert.deepEqual(counts, await countsOf(other.gateway));
  assert.deepEqual(linesOf(one), linesOf(other));
  assert.ok(linesOf(one).length > Object.keys(ones).length);
  return { unseen, counts: counts.join() };
}

eachStore('a plain request that bypasses hapi', (kind) => {
  it('gets the same response, log line and metrics as a request through hapi', async (t) => {
    const { unseen, counts } = await compared(t, kind, calls);
    assert.deepEqual(unseen, DIRECT);
    assert.match(counts, /sendMessage.*202/);
    assert.match(counts, /RATE_LIMITED/);
  });

  it("gets the same response, log line and metrics as through hapi even if it is an online store's webhook", async (t) => {
    const { unseen, counts } = await compared(t, kind, hooks);
    assert.deepEqual(unseen, DIRECT_HOOKS);
    assert.match(counts, /receiveStoreWebhook.*200/);
    assert.match(counts, /BAD_SIGNATURE/);
  });
});

/** A request as it goes over the wire, and what comes back until the connection ends. */
const posted = (path: string, token: string, body: string, length = body.length): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

function dial({ node: { url } }: Gateway): { readonly socket: Socket; readonly all: Promise<string> } {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  const all = (async () => {
    let received = '';
    for await (const chunk of socket) received += chunk;
    return received;
  })();
  return { socket, all };
}

const statuses = (received: string): readonly string[] => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');

it('connections that bypass hapi handle draining, malformed requests and disconnects like other connections', async (t) => {
  const { gateway, device, tokens, lines } = await aPlace(t, embedded);
  const path = `${device}/messages`;
  const plain = JSON.stringify(text);
  const garbage = dial(gateway);
  garbage.socket.write(`${posted(path, tokens.owner, plain)}no request\r\n\r\n`);
  assert.deepEqual(statuses(await garbage.all), ['202', '400']);

  const three = dial(gateway);
  three.socket.write(
    posted(path, tokens.owner, plain).repeat(2) + posted(path, tokens.owner, plain).replace('Host', 'Connection: close\r\nHost'),
  );
  assert.deepEqual(statuses(await three.all), ['202', '202', '202'], 'asked before the last one was answered');

  const leaves = dial(gateway);
  leaves.socket.write(posted(path, tokens.owner, plain.slice(0, 20), plain.length), () => leaves.socket.resetAndDestroy());
  await leaves.all.catch(() => {});
  const left = () => lines('').some(({ status, path: of }) => status === 499 && String(of).endsWith('/messages'));
  await gateway.until('the caller is missed', () => new Promise((looked) => setImmediate(() => looked(left()))));

  const slow = dial(gateway);
  const late = dial(gateway);
  slow.socket.write(posted(path, tokens.owner, plain.slice(0, 20), plain.length));
  late.socket.write(posted(path, tokens.owner, '{}'));
  await once(late.socket, 'readable');
  const stopped = gateway.node.http.stop({ timeoutMs: 60_000 });
  late.socket.write(posted(path, tokens.owner, plain));
  assert.deepEqual(statuses(await late.all), ['400', '503'], 'no new work');
  slow.socket.write(plain.slice(20));
  const last = await slow.all;
  assert.deepEqual(statuses(last), ['202'], 'what was begun is finished');
  assert.match(last, /Connection: close/);
  await stopped;
});
