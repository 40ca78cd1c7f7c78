import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import { createSandbox } from '../../actors/network/sandbox/sandbox.ts';
import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import { oneOf, seededRandom } from '../../runtime/random.ts';
import { readConfig } from '../../scripts/wiring/config.ts';
import { startNode } from '../../scripts/wiring/node.ts';
import { type Api, calling, codeOn } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { aRedis, whereRedisIs } from '../support/redis.ts';
import { aDirectory, embedded, lastFirst, type Scope, storeOfGateway } from '../support/stores.ts';

const LEASE_MS = 2_000;
const HOSTILE_MS = 5_000;
const ATTACKS = 50;
const TEXTS = 21;
const ANNA = '6281211110001';
const OWNER = '6281100009999';
const PHONES = ['6281100000001', '6281100000002', '6281100000003'];
const LONGEST_MS = 60_000;
const MANY = 1_000_000;

async function until<T>(what: string, check: () => Promise<T> | T): Promise<NonNullable<T>> {
  for (const end = performance.now() + LONGEST_MS; performance.now() < end; await pause(systemClock, 50)) {
    const found = await check();
    if (found) return found;
  }
  throw new Error(`never happened: ${what}`);
}

/** Two whole gateways in real time, over one store, one sandbox and a real Redis. */
async function twoGateways(t: Scope) {
  const redis = await aRedis(t);
  const random = seededRandom(1);
  const sandbox = createSandbox({ clock: systemClock, random });
  const store = await storeOfGateway(embedded, t);
  const data_dir = aDirectory(t);
  const lines: { event?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const start = async (node_id: string) => {
    const secrets = { admin_secret: 'the operator of the cluster', jwt_secret: 'what all nodes of the cluster sign with' };
    const plans = plansFrom({ free: { devices: MANY, messages: MANY, send_per_minute: MANY, key_cap: MANY } });
    const config = {
      ...readConfig({}, '/nowhere'),
      ...secrets,
      port: 0,
      data_dir,
      node_id,
      plans,
      redis_url: redis.url,
      lease_ttl_ms: LEASE_MS,
    };
    const node = await startNode(config, { store, network: sandbox.network(), random, log, checkAnswers: true, limits: NEVER_FULL });
    let isReplaced = false;
    void node.replaced.then(() => {
      isReplaced = true;
    });
    t.after(() => node.stop());
    return { url: node.url, operator: calling(node.url, { 'x-admin-secret': node.secrets.admin }), isReplaced: () => isReplaced };
  };
  return { redis, sandbox, lines, nodes: [await start('a'), await start('b')] };
}

type World = Awaited<ReturnType<typeof twoGateways>>;

/** A business with a device for each phone, online; it speaks to each node. */
async function aBusiness({ sandbox, nodes }: World) {
  const [{ url, operator }] = nodes as [World['nodes'][0]];
  const shown = async () => (await operator('GET', '/v1/admin/sender')).body;
  await operator('POST', '/v1/admin/sender/connect');
  sandbox.phone('12025550100').scan({ qr: await until('the sender shows a code', async () => (await shown()).qr) });
  await until('the sender is online', async () => (await shown()).status === 'connected');
  const phone = `+${OWNER}`;
  const anybody = calling(url, {});
  await anybody('POST', '/auth/register', { name: 'Acme', phone });
  const code = await until('a code', () => codeOn(sandbox, OWNER));
  const { token } = (await anybody('POST', '/auth/verify-otp', { phone, code })).body;
  const through: Api[] = nodes.map((node) => calling(node.url, { authorization: `Bearer ${token}` }));
  const api = at(through, 0);
  const devices: string[] = [];
  for (const digits of PHONES) {
    const { id } = (await api('POST', '/v1/sessions', {})).body;
    const path = `/v1/sessions/${id}`;
    await api('POST', `${path}/connect`);
    sandbox.phone(digits).scan({ qr: await until('a code to scan', async () => (await api('GET', `${path}/qr`)).body.qr) });
    await until('the device is online', async () => (await api('GET', path)).body.status === 'connected');
    devices.push(path);
  }
  return { through, devices };
}

/** Writes to every key, and publishes on every channel, for a while, and often enough on a busy machine. */
async function beHostile(hand: Redis, ear: Redis, ms: number): Promise<void> {
  const random = seededRandom(7);
  const heard: { channel: string; text: string }[] = [];
  const seen: string[] = [];
  await ear.psubscribe('*');
  ear.on('pmessage', (_pattern, channel: string, text: string) => void (heard.length < 1_000 && heard.push({ channel, text })));
  const acts: readonly ((key: string) => Promise<unknown>)[] = [
    (key) => hand.del(key),
    (key) => hand.set(key, 'x'),
    (key) => hand.set(key, '{"id":"evil","boot":"1","started_at":9e15}'),
    (key) => hand.set(key, oneOf(seen, random)),
    (key) => hand.persist(key),
    (key) => hand.multi().del(key).rpush(key, 'x').exec(),
    (key) => hand.multi().del(key).hset(key, 'a', 'b').exec(),
    (key) => hand.setrange(key, 10_000_000, 'x'),
    () => hand.set('gw:node:evil', oneOf(seen, random)),
    () => hand.set('gw:quiet', '1', 'PX', 300),
    async () => {
      if (heard.length === 0) return;
      const { channel, text } = oneOf(heard, random);
      await hand.publish(channel, text);
      await hand.publish(oneOf(heard, random).channel, text);
      await hand.publish(channel, 'x'.repeat(100));
    },
  ];
  let count = 0;
  for (const end = performance.now() + ms; performance.now() < end || count < ATTACKS; await pause(systemClock, 40)) {
    const keys = await hand.keys('gw:*');
    for (const key of keys.slice(0, 20)) {
      const text = await hand.get(key).catch(() => null);
      if (text && text.length < 10_000 && seen.length < 200) seen.push(text);
    }
    if (keys.length === 0 || seen.length === 0) continue;
    await oneOf(acts, random)(oneOf(keys, random)).catch(() => null);
    count += 1;
  }
}

whereRedisIs('two gateways whose Redis receives hostile writes', () => {
  it('keep running without losing or duplicating messages', async (t) => {
    const scope = lastFirst(t);
    const world = await twoGateways(scope);
    const { redis, sandbox, nodes, lines } = world;
    const { through, devices } = await aBusiness(world);
    const [hand, ear] = [new Redis(redis.url), new Redis(redis.url)];
    scope.after(() => [hand, ear].map((one) => one.disconnect()));
    let isOver = false;
    const hostile = beHostile(hand, ear, HOSTILE_MS).finally(() => {
      isOver = true;
    });

    const accepted = Array.from({ length: TEXTS }, async (_, n) => {
      await pause(systemClock, (n * HOSTILE_MS) / TEXTS);
      const text = { chat_id: `+${ANNA}`, type: 'text', body: `out ${n}` };
      const device = at(devices, n % devices.length);
      sandbox.phone(ANNA).write({ to: at(PHONES, n % PHONES.length), content: { type: 'text', body: `in ${n}` } });
      for (let tries = 0; ; tries += 1) {
        const { status, body } = await at(through, (n + tries) % 2)('POST', `${device}/messages`, text, { 'idempotency-key': `text-${n}` });
        if (status === 202) return;
        assert.ok([409, 503, 504].includes(status), `${status} ${JSON.stringify(body)}`);
        await pause(systemClock, 200);
      }
    });
    await Promise.all(accepted);
    await hostile;
    assert.ok(isOver);

    const bodies = (texts: readonly { content: { type: string; body?: string } }[]): string[] =>
      texts.flatMap(({ content }) => (content.type === 'text' && /^(in|out) /.test(content.body ?? '') ? [content.body ?? ''] : []));
    const got = () => bodies(sandbox.phone(ANNA).messages(1_000)).filter((body) => body.startsWith('out'));
    await until('all have arrived', () => new Set(got()).size === TEXTS);
    const log = async (): Promise<string[]> => {
      const pages = await Promise.all(devices.map((device) => at(through, 0)('GET', `${device}/messages?limit=200&direction=inbound`)));
      return pages.flatMap(({ body }) => (body.messages ?? []).map((one: { body: string }) => one.body));
    };
    await until(
      'all that was written is in the log',
      async () => new Set((await log()).filter((body) => /^in /.test(body))).size === TEXTS,
    );
    await pause(systemClock, 2 * LEASE_MS);
    assert.equal(got().length, TEXTS, 'none came twice');
    assert.equal((await log()).filter((body) => /^in /.test(body)).length, TEXTS, 'none is there twice');
    assert.deepEqual(
      nodes.map(({ isReplaced }) => isReplaced()),
      [false, false],
    );
    assert.ok(lines.some(({ event }) => event === 'cluster.unsealed_dropped'));
  });
});
