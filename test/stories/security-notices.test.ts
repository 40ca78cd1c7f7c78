import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { aWebhookFixture, fixtureOf } from '../actors/services/webhooks/webhooks-fixture.ts';
import { anAuthenticator } from '../support/authenticator.ts';
import { codeOn, type Gateway } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const NAMED = ['security.sign_in', 'security.key_created', 'security.webhook_created', 'security.two_factor_changed'];

const noticesOn = ({ sandbox }: Gateway, digits: string): readonly string[] =>
  sandbox
    .phone(digits)
    .messages(50)
    .flatMap(({ content }) => (content.type === 'text' && /^(Security|Keamanan): /.test(content.body) ? [content.body] : []));

eachStore('a security notice', (kind) => {
  it('reaches the owner once as a message and once as an event, even if the process crashes', async (t) => {
    const world = await aWebhookFixture(t, kind, { trusted_proxies: ['127.0.0.1'] });
    const { acme, subscribe, receiver } = world;
    let { gateway, api } = world;
    const told = () => noticesOn(gateway, acme.phone);
    const signIn = async (address: string) => {
      const from = { 'x-forwarded-for': address };
      await gateway.during(gateway.api('POST', '/auth/request-otp', { phone: `+${acme.phone}` }, from));
      const code = codeOn(gateway.sandbox, acme.phone);
      const { status, body } = await gateway.api('POST', '/auth/verify-otp', { phone: `+${acme.phone}`, code }, from);
      assert.equal(status, 200);
      return body.token as string;
    };

    await subscribe(NAMED);
    await gateway.until('the webhook is told of', () => told().length === 1);
    assert.match(told()[0] ?? '', /membuat webhook/);
    await signIn('203.0.113.9');
    await gateway.until('the new address is told of', () => told().length === 2);
    await signIn('203.0.113.9');
    await api('POST', '/v1/api-keys', { name: 'till' });
    await gateway.until('the key is told of', () => told().length === 3);
    assert.deepEqual(
      told().map((text) => text.includes('alamat baru')),
      [false, true, false],
      'the same address again says nothing',
    );

    // Nobody can be told now, and then the process dies.
    gateway.sandbox.device('12025550100').fault({ kind: 'drop', forMs: 60_000 });
    await api('POST', '/v1/api-keys', { name: 'kiosk' });
    gateway = await gateway.crash();
    ({ api } = fixtureOf(gateway, acme, world.device, receiver));
    await gateway.until('it is told all the same', () => told().length === 4);
    await gateway.clock.advance(180_000);
    assert.equal(told().length, 4, 'and once');

    await api('POST', '/v1/2fa/setup');
    const events = NAMED.map((name) => receiver.of(name).length);
    assert.deepEqual(events, [1, 2, 1, 0], 'the webhook learned of itself, one sign-in, two keys');
    const [signed] = receiver.of('security.sign_in');
    assert.equal(signed?.body.data.address, '203.0.113.9');
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    assert.deepEqual(noticesOn(gateway, globex.phone), [], 'a sign-up is no sign-in from elsewhere');
  });

  it('is sent once for all sign-ins from the same IPv6 network', async (t) => {
    const { gateway, acme } = await aWebhookFixture(t, kind, { trusted_proxies: ['127.0.0.1'] });
    const signIn = async (address: string) => {
      const from = { 'x-forwarded-for': address };
      await gateway.during(gateway.api('POST', '/auth/request-otp', { phone: `+${acme.phone}` }, from));
      const code = codeOn(gateway.sandbox, acme.phone);
      assert.equal((await gateway.api('POST', '/auth/verify-otp', { phone: `+${acme.phone}`, code }, from)).status, 200);
    };
    for (const address of ['2001:db8:1:2::a', '2001:db8:1:2:f00d:1:2:3', '2001:db8:1:3::a']) await signIn(address);
    await gateway.until('the other network is told of', () => noticesOn(gateway, acme.phone).length >= 2);
    await gateway.clock.advance(120_000);
    assert.equal(noticesOn(gateway, acme.phone).length, 2);
  });

  it("is sent when a webhook's address changes, but not for other changes to the webhook", async (t) => {
    const { gateway, api, acme, subscribe, receiver } = await aWebhookFixture(t, kind);
    const path = `/v1/webhooks/${await subscribe(NAMED)}`;
    const told = () => noticesOn(gateway, acme.phone);
    await gateway.until('the webhook is told of', () => told().length === 1);
    assert.equal((await api('PATCH', path, { events: NAMED.slice(1) })).status, 200);
    assert.equal((await api('PATCH', path, { url: `${receiver.url}/elsewhere` })).status, 200);
    await gateway.until('its move is told of', () => told().length === 2);
    assert.match(told().at(0) ?? '', /mengubah alamat webhook/);
    await gateway.clock.advance(120_000);
    assert.equal(told().length, 2);
  });

  it('is sent even if the clock has been set back', async (t) => {
    const { gateway, api, acme, receiver } = await aWebhookFixture(t, kind);
    const told = () => noticesOn(gateway, acme.phone).length;
    const { key } = (await api('POST', '/v1/api-keys', { name: 'till', scopes: ['read', 'manage'] })).body;
    const till = gateway.as(key);
    const webhook = { url: receiver.url, secret: 'a secret that only the two of us know', events: NAMED };
    const change = async () => void (await till('DELETE', `/v1/webhooks/${(await till('POST', '/v1/webhooks', webhook)).body.id}`));
    await gateway.until('the key is told of', () => told() === 1);
    gateway.clock.jump(4_000_000);
    for (let made = 1; made <= 5; made += 1) {
      await change();
      await gateway.until('it is told of', () => told() === 1 + made);
    }
    gateway.clock.jump(-4_000_000);
    await change();
    await gateway.until('the next one is told of', () => told() === 7);
  });

  it('is sent immediately for the first five changes, and further changes are summarized an hour later', async (t) => {
    const world = await aWebhookFixture(t, kind);
    const { acme, receiver } = world;
    let { gateway, api, subscribe } = world;
    const told = () => noticesOn(gateway, acme.phone);
    const changes = async (many: number) => {
      for (let made = 0; made < many; made += 1) {
        const path = `/v1/webhooks/${await subscribe(NAMED)}`;
        assert.equal((await api('DELETE', path)).status, 200);
      }
    };

    await changes(9);
    await gateway.until('the first ones are told of', () => told().length === 5);
    gateway = await gateway.crash();
    ({ api, subscribe } = fixtureOf(gateway, acme, world.device, receiver));
    await changes(3);
    gateway.clock.jump(1_800_000);
    await gateway.clock.advance(90_000);
    assert.equal(told().length, 5, 'no more within the hour');
    gateway.clock.jump(1_800_000);
    await gateway.until('the rest is told of', () => told().length === 6);
    assert.match(told()[0] ?? '', /^Keamanan: 7 perubahan lain/);

    await changes(1);
    await gateway.until('a later one is told of by itself', () => told().length === 7);
    assert.match(told()[0] ?? '', /membuat webhook/);
    gateway.clock.jump(4_000_000);
    await gateway.clock.advance(90_000);
    assert.equal(told().length, 7, 'the rest was told once');
  });

  it("covers an hour's exports in one message, with an event for each export, even after a crash", async (t) => {
    const world = await aWebhookFixture(t, kind);
    const { acme, subscribe, receiver } = world;
    let { gateway, api } = world;
    const told = () => noticesOn(gateway, acme.phone);
    await subscribe(['security.data_exported']);
    await gateway.until('the webhook is told of', () => told().length === 1);
    const exports = ['/v1/contacts/export', '/v1/consent/export', '/v1/audit/export'] as const;
    for (const path of exports) assert.equal((await api('GET', path)).status, 200);
    await gateway.until('the first export is told of', () => told().length === 2);
    assert.match(told()[0] ?? '', /^Keamanan: Acme mengekspor kontak\./);
    gateway = await gateway.crash();
    ({ api } = fixtureOf(gateway, acme, world.device, receiver));
    assert.equal((await api('GET', exports[0])).status, 200);
    await gateway.until('each export is an event', () => receiver.of('security.data_exported').length === 4);
    await api('POST', '/v1/api-keys', { name: 'till' });
    await gateway.until('a change among them is told of', () => told().length === 3);
    gateway.clock.jump(3_600_000);
    await gateway.clock.advance(90_000);
    assert.equal(told().length, 3, 'an hour later there is nothing to add');
    assert.equal((await api('GET', exports[1])).status, 200);
    await gateway.until('one of the next hour is told of', () => told().length === 4);
    assert.match(told()[0] ?? '', /mengekspor catatan persetujuan/);
  });

  it('is sent for each change of a second factor and for each recovery code used', async (t) => {
    const { acme, subscribe, receiver, gateway } = await aWebhookFixture(t, kind);
    await subscribe(['security.two_factor_changed']);
    const known = async (many: number) => {
      await gateway.until(`notice ${many}`, () => noticesOn(gateway, acme.phone).length === many);
      return noticesOn(gateway, acme.phone)[0];
    };
    await known(1);
    let { api } = acme;
    const { secret } = (await api('POST', '/v1/2fa/setup')).body;
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = async (): Promise<string> => {
      await gateway.clock.advance(30_000);
      return app.generate({ timestamp: gateway.clock.now() });
    };
    const { recovery_codes } = (await api('POST', '/v1/2fa/enable', { code: await code() })).body;
    assert.match((await known(2)) ?? '', /mengaktifkan verifikasi dua faktor/);

    await gateway.during(gateway.api('POST', '/auth/request-otp', { phone: `+${acme.phone}` }));
    const first = { phone: `+${acme.phone}`, code: codeOn(gateway.sandbox, acme.phone) };
    const { challenge } = (await gateway.api('POST', '/auth/verify-otp', first)).body;
    const signedIn = await gateway.api('POST', '/auth/2fa/verify', { challenge, code: recovery_codes[0] });
    assert.equal(signedIn.status, 200);
    assert.match((await known(3)) ?? '', /memakai kode pemulihan/);
    // In one hour there are five messages at most.
    gateway.clock.jump(3_600_000);
    api = gateway.as(signedIn.body.token);

    const ok = async (method: string, path: string, body: object) => {
      const answer = await api(method, path, body);
      assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    await ok('POST', '/auth/step-up', { code: recovery_codes[1] });
    assert.match((await known(4)) ?? '', /memakai kode pemulihan/);
    await ok('POST', '/v1/2fa/recovery-codes', { code: await code() });
    assert.match((await known(5)) ?? '', /kode pemulihan baru/);
    const { token } = await ok('POST', '/auth/step-up', { code: await code() });
    api = gateway.as(token);
    const page = `http://localhost:${new URL(gateway.node.url).port}`;
    const options = await ok('POST', '/v1/passkeys/options', {});
    const { id } = await ok('POST', '/v1/passkeys', { name: 'Laptop', credential: anAuthenticator(page).create(options) });
    assert.match((await known(6)) ?? '', /menambahkan passkey/);
    assert.equal((await api('DELETE', `/v1/passkeys/${id}`)).status, 200);
    assert.match((await known(7)) ?? '', /menghapus passkey/);
    await ok('POST', '/v1/2fa/disable', { code: await code() });
    assert.match((await known(8)) ?? '', /menonaktifkan verifikasi dua faktor/);
    await gateway.until('seven events', () => receiver.of('security.two_factor_changed').length === 7);
  });
});
