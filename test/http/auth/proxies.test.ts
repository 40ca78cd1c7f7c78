import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forwardedFor } from '../../../http/core/caller-address.ts';
import { LimitsInMemory } from '../../../http/limits/limits.ts';
import { rangesOf } from '../../../runtime/address-ranges.ts';
import { readConfig } from '../../../scripts/wiring/config.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

const TRUSTED = ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'];

it("a caller's address is the last forwarded address that is not a trusted proxy", () => {
  const caller = (remote: string, forwarded: string) => forwardedFor(remote, forwarded, rangesOf(TRUSTED));
  for (const [remote, forwarded, expected] of [
    ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['127.0.0.1', '198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['127.0.0.1', '203.0.113.7, unknown', '127.0.0.1'],
    ['127.0.0.1', 'nonsense, 203.0.113.7:5123', '203.0.113.7'],
    ['2001:db8::1', '[2001:db9::7]:443, [2001:db8::2]', '2001:db9::7'],
    ['::ffff:10.0.0.9', '203.0.113.7', '203.0.113.7'],
  ] as const)
    assert.equal(caller(remote, forwarded), expected, `${remote} says ${forwarded}`);
});

it('the gateway refuses to start if a trusted proxy address or range is invalid', () => {
  const config = (TRUSTED_PROXIES: string) => readConfig({ TRUSTED_PROXIES }, '/nowhere').trusted_proxies;
  assert.deepEqual(config('127.0.0.1, 10.0.0.0/8'), ['127.0.0.1', '10.0.0.0/8']);
  assert.throws(() => config('10.0.0.0/99'), /trusted_proxies.*TRUSTED_PROXIES/);
});

eachStore('a gateway behind a load balancer', (kind) => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it("checks keys against the caller's own address, and counts sign-ups per caller", async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory(), config: { trusted_proxies: ['127.0.0.1'] } });
    const acme = await gateway.signUp();
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'office', allowed_ips: ['203.0.113.0/24'] })).body;
    const ask = async (headers: Record<string, string>) => (await gateway.as(key)('GET', '/v1/me', undefined, headers)).status;
    assert.deepEqual([await ask(from('203.0.113.7')), await ask(from('198.51.100.1')), await ask({})], [200, 403, 403]);
    assert.equal(await ask(from('203.0.113.7, 198.51.100.1')), 403, 'what a caller writes itself is not believed');

    const register = async (n: number, address: string) =>
      (await gateway.during(gateway.api('POST', '/auth/register', { name: 'x', phone: `+9990000${100 + n}` }, from(address)))).status;
    for (let n = 0; n < 60; n += 1) assert.equal(await register(n, '198.51.100.1'), 400);
    assert.deepEqual([await register(60, '198.51.100.1'), await register(61, '198.51.100.2')], [429, 400]);
  });

  it('treats all callers in an IPv6 /64 as one caller in every per-address limit', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory(), config: { trusted_proxies: ['127.0.0.1'] } });
    const ask = async (path: string, body: object | undefined, headers: Record<string, string>) =>
      (await gateway.during(gateway.api('POST', path, body, headers))).status;
    const phone = (n: number): string => `+9990000${100 + n}`;
    const browser = { cookie: `__Host-gateway=${'x'.repeat(64)}`, 'sec-fetch-site': 'same-origin' };
    const calls: readonly [string, (n: number) => object | undefined, Record<string, string>?][] = [
      ['/auth/register', (n) => ({ name: 'x', phone: phone(n) })],
      ['/auth/request-otp', (n) => ({ phone: phone(n) })],
      ['/auth/passkey/options', () => undefined],
      ['/console/session/refresh', () => ({}), browser],
    ];
    for (const [path, body, headers] of calls) {
      const of = (n: number, address: string) => ask(path, body(n), { ...headers, ...from(address) });
      for (let n = 0; n < 60; n += 1) assert.notEqual(await of(n, `2001:db8:0:1:${n.toString(16)}::7`), 429, `${path}: ${n}`);
      assert.equal(await of(60, '2001:0DB8::1:ffff:0:0:1'), 429, path);
      assert.notEqual(await of(61, '2001:db8:0:2::1'), 429, `${path}: the network beside it`);
    }
    const guess = (address: string) => gateway.api('GET', '/v1/admin/tenants', undefined, { 'x-admin-secret': 'guess', ...from(address) });
    for (let n = 0; n < 5; n += 1) assert.equal((await guess(`2001:db8::${n}`)).status, 401);
    assert.equal((await guess('2001:db8::beef')).status, 429, 'wrong secrets, too');
  });

  it('treats an IPv4 caller on an IPv6 socket as the same caller', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory(), config: { trusted_proxies: ['127.0.0.1'] } });
    const options = async (address: string) => (await gateway.api('POST', '/auth/passkey/options', undefined, from(address))).status;
    for (let n = 0; n < 60; n += 1) assert.notEqual(await options(n % 2 ? '198.51.100.1' : '::ffff:198.51.100.1'), 429);
    assert.deepEqual([await options('198.51.100.1'), await options('::ffff:c633:6401')], [429, 429]);
    assert.notEqual(await options('::ffff:198.51.100.2'), 429);
  });

  it('ignores forwarded addresses unless it has a trusted proxy', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory() });
    const acme = await gateway.signUp();
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'office', allowed_ips: ['203.0.113.0/24'] })).body;
    assert.equal((await gateway.as(key)('GET', '/v1/me', undefined, from('203.0.113.7'))).status, 403);
  });
});
