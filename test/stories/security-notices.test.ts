import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aWebhookFixture, fixtureOf } from '../actors/services/webhooks/webhooks-fixture.ts';
import { codeOn, type Gateway } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const NAMED = ['security.sign_in', 'security.key_created', 'security.webhook_created', 'security.two_factor_changed'];

const noticesOn = ({ sandbox }: Gateway, digits: string): readonly string[] =>
  sandbox
    .phone(digits)
    .messages(50)
    .flatMap(({ content }) => (content.type === 'text' && /^(Security|Keamanan): /.test(content.body) ? [content.body] : []));

eachStore('what concerns the security of a business', (kind) => {
  it('is told to its owner once, as a message and as an event, though the process dies', async (t) => {
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
    ({ api } = fixtureOf(gateway, acme, world.desk, receiver));
    await gateway.until('it is told all the same', () => told().length === 4);
    await gateway.clock.advance(180_000);
    assert.equal(told().length, 4, 'and once');

    await api('POST', '/v1/2fa/setup');
    const events = NAMED.map((name) => receiver.of(name).length);
    assert.deepEqual(events, [1, 2, 1, 0], 'the webhook heard of itself, one sign-in, two keys');
    const [signed] = receiver.of('security.sign_in');
    assert.equal(signed?.body.data.address, '203.0.113.9');
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    assert.deepEqual(noticesOn(gateway, globex.phone), [], 'a sign-up is no sign-in from elsewhere');
  });
});
