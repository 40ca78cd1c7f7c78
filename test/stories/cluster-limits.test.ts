import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster } from '../support/cluster.ts';
import type { Answer } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const shown = ({ status, body, headers }: Answer) => [
  status,
  body.scope,
  ...['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`))),
];

eachStore('rate limits in a cluster', (kind) => {
  it('apply to a key across all nodes, and are divided among the nodes if Redis is unavailable', async (t) => {
    const cluster = await aCluster(t, kind);
    const nodes = [await cluster.node('a'), await cluster.node('b'), await cluster.node('c')] as const;
    const tenant = await nodes[0].signUp();
    const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'busy', rate_limit_per_minute: 6 })).body;
    const ask = (n: number) => nodes[n % 3]!.as(key)('GET', '/v1/me');
    const first = [];
    for (let n = 0; n < 6; n += 1) first.push((await ask(n)).headers.get('ratelimit-remaining'));
    assert.deepEqual(first, ['5', '4', '3', '2', '1', '0']);
    const refused = await ask(1);
    const wait = Number(refused.headers.get('retry-after'));
    assert.deepEqual(shown(refused), [429, 'api_key', 6, 0, wait]);
    assert.equal((await ask(2)).status, 429);
    await cluster.clock.advance(wait * 1_000);
    assert.equal((await ask(2)).status, 200);

    await cluster.clock.advance(60_000);
    cluster.redis.down();
    const statuses = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await ask(n)).status);
    assert.equal(statuses.filter((status) => status === 200).length, 6);
    cluster.redis.up();
  });

  it('apply to login codes across all nodes', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const { phone } = await a.signUp();
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await (n % 2 ? a : b).api('POST', '/auth/request-otp', { phone: `+${phone}` })).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });

  it('still protect login and sign-up codes if the Redis counters are deleted after each call', async (t) => {
    const cluster = await aCluster(t, kind);
    const nodes = [await cluster.node('a'), await cluster.node('b'), await cluster.node('c')] as const;
    const { phone } = await nodes[0].signUp();
    const received = (digits: string): number => cluster.sandbox.phone(digits).messages(500).length;
    const stranger = '6281100007777';
    const before = received(phone);
    for (let n = 0; n < 30; n += 1) {
      const node = nodes[n % 3]!;
      for (const ask of [
        () => node.api('POST', '/auth/request-otp', { phone: `+${phone}` }),
        () => node.api('POST', '/auth/register', { name: 'Stranger', phone: `+${stranger}` }),
      ]) {
        cluster.redis.flush();
        const { status, headers } = await ask();
        assert.ok(status === 200 || (status === 429 && Number(headers.get('retry-after')) > 0), String(status));
      }
      await cluster.clock.advance(5_000);
    }
    const codes = [received(phone) - before, received(stranger)];
    assert.ok(
      codes.every((count) => count > 0 && count <= 6),
      codes.join(),
    );
  });
});
