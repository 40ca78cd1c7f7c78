import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { isPushService } from '../../../../actors/services/push/hosts.ts';
import { pushIn } from '../../../../store/push/push.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aLiveFixture } from '../live/live-fixture.ts';
import { aBrowser, aPushService } from './push-service.ts';

const BUDI = '6281211110002';

/** A device whose owner's browser is subscribed. */
async function aSubscribedFixture(scope: Scope, kind: StoreKind, headers: Readonly<Record<string, string>> = {}) {
  const service = await aPushService(scope);
  const fixture = await aLiveFixture(scope, kind, { egress_allow: [service.place] });
  const browser = aBrowser(service, 'chrome');
  const { status } = await fixture.tenant.api('POST', '/v1/push/subscribe', browser.subscription, headers);
  assert.equal(status, 201);
  const { endpoint } = browser.subscription;
  return { ...fixture, service, browser, endpoint };
}

eachStore('a subscribed browser', (kind) => {
  it("is notified of a customer's message, and only this browser can decrypt the notification", async (t) => {
    const { gateway, device, write, service, browser } = await aSubscribedFixture(t, kind);
    gateway.sandbox.phone(ANNA).set({ name: 'Anna' });
    write('is the shop open?');
    await gateway.until('it is pushed', () => service.pushed.length === 1);
    const [pushed] = service.pushed;
    assert.ok(!pushed!.body.includes('shop'));
    const { title, body, session_id, chat_id } = browser.read(pushed!);
    assert.deepEqual([title, body, session_id, chat_id], ['Anna', 'is the shop open?', device.id, `${ANNA}@s.whatsapp.net`]);
  });

  it('gets pushes signed with the key that the dashboard shows', async (t) => {
    const { gateway, tenant, service, endpoint } = await aSubscribedFixture(t, kind);
    const { public_key } = (await tenant.api('GET', '/v1/push/key')).body;
    assert.equal((await gateway.during(tenant.api('POST', '/v1/push/test', { endpoint }))).status, 200);
    const { authorization, topic, ttl } = service.pushed[0]!.headers;
    const [, token = '', key = ''] = /^vapid t=(.+), k=(.+)$/.exec(authorization ?? '') ?? [];
    assert.equal(key, public_key);
    const point = Buffer.from(key, 'base64url');
    const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
    const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'));
    assert.deepEqual([decodeProtectedHeader(token).alg, payload.aud], ['ES256', `http://${service.place}`]);
    assert.match(`${topic} ${ttl}`, /^[\w-]{32} 3600$/);
  });

  it('is notified at most once every 30 seconds per chat, but immediately for another chat', async (t) => {
    const { gateway, write, service, browser } = await aSubscribedFixture(t, kind);
    write('one');
    write('two');
    write('hello', BUDI);
    await gateway.until('both chats are pushed', () => service.pushed.length === 2);
    await gateway.clock.advance(25_000);
    write('three');
    await gateway.clock.advance(4_000);
    // Of two that come in one moment, either may be the one that is told.
    const told = service.pushed.map((pushed) => browser.read(pushed).body).sort();
    assert.ok(told.length === 2 && told[0] === 'hello' && /^(one|two)$/.test(told[1]!), told.join());
    await gateway.clock.advance(5_000);
    write('four');
    await gateway.until('it is pushed', () => service.pushed.length === 3);
    assert.equal(browser.read(service.pushed[2]!).body, 'four');
  });

  it('is notified in the language of its subscription', async (t) => {
    const { gateway, tenant, service, browser, endpoint } = await aSubscribedFixture(t, kind, { 'x-lang': 'id' });
    const location = { type: 'location', lat: 1, lng: 2 } as const;
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: location });
    await gateway.until('it is pushed', () => service.pushed.length === 1);
    assert.equal(browser.read(service.pushed[0]!).body, 'Lokasi');
    await gateway.during(tenant.api('POST', '/v1/push/test', { endpoint }, { 'x-lang': 'id' }));
    await gateway.during(tenant.api('POST', '/v1/push/test', { endpoint }));
    const titles = service.pushed.slice(1).map((pushed) => browser.read(pushed).title);
    assert.deepEqual(titles, ['Notifikasi berfungsi', 'Notifications work']);
  });

  it('is removed if the push service reports it as gone, but not after other failures', async (t) => {
    const { gateway, tenant, service, endpoint } = await aSubscribedFixture(t, kind);
    const test = async () => {
      const { status, body } = await gateway.during(tenant.api('POST', '/v1/push/test', { endpoint }));
      return [status, body.code];
    };
    service.answer(500);
    assert.deepEqual(await test(), [502, 'PUSH_FAILED']);
    service.answer(410);
    assert.deepEqual(await test(), [404, 'NOT_FOUND']);
    service.answer(201);
    assert.deepEqual(await test(), [404, 'NOT_FOUND']);
    assert.equal(service.pushed.length, 2);
  });

  it('gets no pushes after it unsubscribes or its login ends', async (t) => {
    const { gateway, tenant, write, service, browser, endpoint } = await aSubscribedFixture(t, kind);
    await tenant.api('DELETE', '/v1/push/subscribe', { endpoint });
    write('one');
    await gateway.clock.advance(1_000);
    await tenant.api('POST', '/v1/push/subscribe', browser.subscription);
    await tenant.api('POST', '/auth/logout');
    write('two', BUDI);
    await gateway.clock.advance(1_000);
    assert.deepEqual(service.pushed, []);
  });
});

eachStore('a business whose push service is slow', (kind) => {
  it('has only a limited number of concurrent pushes, but all its browsers are notified in the end', async (t) => {
    const { gateway, tenant, write, service, browser } = await aSubscribedFixture(t, kind);
    service.answer(null);
    for (let nth = 1; nth < 20; nth += 1) await tenant.api('POST', '/v1/push/subscribe', aBrowser(service, `browser-${nth}`).subscription);
    write('is the shop open?');
    await gateway.until('some are pushed', () => service.pushed.length >= 16);
    await gateway.clock.advance(1_000);
    assert.equal(service.pushed.length, 16);
    service.answer(201);
    await gateway.until('all are pushed', () => service.pushed.length === 20);
    const path = new URL(browser.subscription.endpoint).pathname;
    assert.equal(service.pushed.filter((pushed) => pushed.path === path).length, 1);
  });
});

eachStore('a suspended business', (kind) => {
  it('sends no notifications until it is reinstated', async (t) => {
    const { gateway, tenant, write, service } = await aSubscribedFixture(t, kind);
    const suspended = (is: boolean) => gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { suspended: is });
    await suspended(true);
    write('is the shop open?');
    await gateway.clock.advance(1_000);
    assert.deepEqual(service.pushed, []);
    await suspended(false);
    write('hello?', BUDI);
    await gateway.until('it is pushed', () => service.pushed.length === 1);
  });
});

eachStore('browser push', (kind) => {
  it('requires a login to the dashboard, a genuine push service and valid keys', async (t) => {
    const { gateway, tenant, key, browser } = await aSubscribedFixture(t, kind);
    const { api } = await key();
    assert.equal((await api('GET', '/v1/push/key')).status, 403);
    assert.equal((await api('POST', '/v1/push/subscribe', browser.subscription)).status, 403);
    assert.equal((await gateway.api('GET', '/v1/push/key')).status, 401);
    const { endpoint, keys } = browser.subscription;
    const off = Buffer.from(keys.p256dh, 'base64url').fill(7, 1).toString('base64url');
    const wrong = [
      { endpoint: 'https://example.com/x', keys },
      { endpoint, keys: { ...keys, p256dh: off } },
      { endpoint, keys: { ...keys, auth: 'c2hvcnQ' } },
    ];
    for (const body of wrong) assert.equal((await tenant.api('POST', '/v1/push/subscribe', body)).body.code, 'VALIDATION_FAILED');
  });

  it('uses one key pair for all nodes, even if several nodes start at the same time', async (t) => {
    const store = await kind.fresh(t);
    const push = pushIn(store);
    await store.prepare();
    const made = (n: number) => ({ publicKey: `public ${n}`, privateKey: `private ${n}` });
    const answers = await Promise.all([1, 2, 3].map((n) => push.keys(() => made(n))));
    assert.equal(new Set(answers.map(({ publicKey }) => publicKey)).size, 1);
    assert.equal((await push.keys(() => made(4))).privateKey, answers[0]!.privateKey);
  });

  it('is sent for each chat by only one of many nodes', async (t) => {
    const store = await kind.fresh(t);
    const push = pushIn(store);
    await store.prepare();
    const turns = await Promise.all(Array.from({ length: 8 }, () => push.takeTurn('chat', 30_000, 1_000_000)));
    assert.equal(turns.filter(Boolean).length, 1);
    assert.equal(await push.takeTurn('chat', 30_000, 1_029_999), false);
    assert.equal(await push.takeTurn('chat', 30_000, 1_030_000), true);
  });
});

it('a push service is recognized by its complete host name', () => {
  const fine = ['https://fcm.googleapis.com/x', 'https://web.push.apple.com/x', 'https://wns2-by3p.notify.windows.com/w/?token=x'];
  for (const endpoint of fine) assert.ok(isPushService(endpoint, []), endpoint);
  const foreign = [
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://xpush.apple.com/x',
    'https://web.push.apple.com.attacker.example/x',
    'https://user@fcm.googleapis.com/x',
    'https://127.0.0.1/x',
    'no address',
  ];
  for (const endpoint of foreign) assert.ok(!isPushService(endpoint, ['10.0.0.1:80']), endpoint);
});
