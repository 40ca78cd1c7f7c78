import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAuthenticator } from '../../../http/auth/authenticator.ts';
import { story } from '../../actors/services/accounts/account-fixture.ts';
import { ADMIN_SECRET, type Fixture } from '../../support/accounts-harness.ts';

const second = 1_000;
const address = '127.0.0.1';

/** The gate of another node on the same store. */
const otherNode = ({ services }: Fixture) => createAuthenticator({ ...services, adminSecret: ADMIN_SECRET, report: () => {} });

/** What a gate answers: the plan's sends a minute, or the code of the refusal. */
async function knock({ clock }: Fixture, authenticator: ReturnType<typeof otherNode>, token: string): Promise<unknown> {
  try {
    return (await authenticator.bearer(token, address, clock.now())).sendPerMinute;
  } catch (cause) {
    return cause instanceof Error ? cause.message : cause;
  }
}

story('the authenticator', (fixture) => {
  it('accepts a token from its cache without reading the store', async () => {
    const { signUp, authenticator, clock } = fixture();
    const { token } = await signUp();
    const first = await authenticator.bearer(token, address, clock.now());
    assert.equal(authenticator.bearer(token, address, clock.now()), first);
  });

  it('reads the store again after five seconds, and only once for all waiting calls', async () => {
    const { signUp, services, clock } = fixture();
    const { token } = await signUp();
    let asked = 0;
    const findLive: typeof services.logins.findLive = (...call) => {
      asked += 1;
      return services.logins.findLive(...call);
    };
    const authenticator = createAuthenticator({
      ...services,
      logins: { ...services.logins, findLive },
      adminSecret: ADMIN_SECRET,
      report: () => {},
    });
    await Promise.all([1, 2, 3].map(() => authenticator.bearer(token, address, clock.now())));
    await clock.advance(5 * second - 1);
    await authenticator.bearer(token, address, clock.now());
    assert.equal(asked, 1);
    await clock.advance(1);
    await Promise.all([1, 2, 3].map(() => authenticator.bearer(token, address, clock.now())));
    assert.equal(asked, 2);
  });

  it('records the use of a key at most once a minute', async () => {
    const { signUp, call, services, clock } = fixture();
    const { token } = await signUp();
    const { key } = (await call('POST', '/v1/api-keys', { token, body: { name: 'Web shop' } })).body;
    let touched = 0;
    const touch = async () => {
      touched += 1;
    };
    const authenticator = createAuthenticator({
      ...services,
      keys: { ...services.keys, touch },
      adminSecret: ADMIN_SECRET,
      report: () => {},
    });
    for (let nth = 0; nth < 10; nth += 1) await authenticator.bearer(key, address, clock.now());
    assert.equal(touched, 1);
  });

  const changes = [
    ['a logout', (o: Fixture, token: string) => o.call('POST', '/auth/logout', { token }), 'UNAUTHORIZED'],
    ['a suspension', (o: Fixture, _: string, id: string) => govern(o, id, { suspended: true }), 'FORBIDDEN'],
    ['another plan', (o: Fixture, _: string, id: string) => govern(o, id, { plan: 'business' }), 300],
  ] as const;
  for (const [what, change, answer] of changes)
    it(`applies ${what} immediately on this node, and within five seconds on other nodes`, async () => {
      const { signUp, authenticator, clock } = fixture();
      const { token, agent_id } = await signUp();
      const there = otherNode(fixture());
      assert.deepEqual([await knock(fixture(), authenticator, token), await knock(fixture(), there, token)], [30, 30]);
      await change(fixture(), token, agent_id);
      assert.equal(await knock(fixture(), authenticator, token), answer);
      await clock.advance(5 * second);
      assert.equal(await knock(fixture(), there, token), answer);
    });

  it('rejects a key on other nodes within five seconds after it was revoked', async () => {
    const { signUp, call, clock } = fixture();
    const { token } = await signUp();
    await call('POST', '/v1/api-keys', { token, body: { name: 'primary' } });
    const { key, id } = (await call('POST', '/v1/api-keys', { token, body: { name: 'Web shop' } })).body;
    const there = otherNode(fixture());
    assert.equal(await knock(fixture(), there, key), 30);
    await call('DELETE', `/v1/api-keys/${id}`, { token });
    await clock.advance(5 * second);
    assert.equal(await knock(fixture(), there, key), 'UNAUTHORIZED');
  });

  it('does not cache data that it read while the tenant was being changed', async () => {
    const { signUp, services, clock } = fixture();
    const { token, agent_id } = await signUp();
    const read = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const find: typeof services.tenants.find = async (id) => {
      const tenant = await services.tenants.find(id);
      read.resolve();
      await slow.promise;
      return tenant;
    };
    const authenticator = createAuthenticator({
      ...services,
      tenants: { ...services.tenants, find },
      adminSecret: ADMIN_SECRET,
      report: () => {},
    });
    const before = knock(fixture(), authenticator, token);
    await read.promise;
    await services.tenants.govern(agent_id, { suspended: true }, clock.now());
    authenticator.invalidate(agent_id);
    const after = knock(fixture(), authenticator, token);
    slow.resolve();
    assert.deepEqual([await before, await after, await knock(fixture(), authenticator, token)], [30, 'FORBIDDEN', 'FORBIDDEN']);
  });

  it('rejects callers without a token', async () => {
    const { call } = fixture();
    for (const headers of [{}, { authorization: 'Basic abc' }, { authorization: 'Bearer' }]) {
      const { status, body } = await call('GET', '/v1/me', { headers });
      assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED']);
    }
  });
});

story('a suspended tenant', (fixture) => {
  it('cannot make calls, sign in or refresh tokens until it is reinstated', async () => {
    const { signUp, call, sender, clock } = fixture();
    const { token, refresh_token, agent_id } = await signUp();
    const { key } = (await call('POST', '/v1/api-keys', { token, body: { name: 'Web shop' } })).body;
    await govern(fixture(), agent_id, { suspended: true });
    const phone = '+6281234567890';
    await call('POST', '/auth/request-otp', { body: { phone } });
    await clock.advance(0);
    const attempts = [
      await call('GET', '/v1/me', { token }),
      await call('GET', '/v1/me', { token: key }),
      await call('POST', '/auth/refresh', { body: { refresh_token } }),
      await call('POST', '/auth/verify-otp', { body: { phone, code: sender.codeOf(phone) } }),
    ];
    for (const { status, body } of attempts) assert.deepEqual([status, body.code], [403, 'FORBIDDEN']);
    await govern(fixture(), agent_id, { suspended: false });
    for (const open of [token, key]) assert.equal((await call('GET', '/v1/me', { token: open })).status, 200);
  });
});

function govern({ call }: Fixture, id: string, body: object) {
  return call('PATCH', `/v1/admin/tenants/${id}`, { headers: { 'x-admin-secret': ADMIN_SECRET }, body });
}
