import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { credentialFor } from '../actors/network/passkeys.ts';
import { aWebhookFixture, type Fixture, fixtureOf } from '../actors/services/webhooks/webhooks-fixture.ts';
import type { Answer } from '../support/gateway.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../support/stores.ts';

const PHONE = '6281100000002';

eachStore('a phone that requires a passkey', (kind) => {
  it('is linked after a passkey and a code comparison, with an event for each step', async (t) => {
    const { gateway, receiver, api, path, id, ask } = await aShyPhone(t, kind);
    const { options, ceremony, ...rest } = await ask();
    assert.deepEqual({ ...rest, expires_at: 0 }, { step: 'passkey', code: null, expires_at: 0 });
    const { challenge, ...others } = options;
    assert.match(challenge, /^[\w-]{16,}$/);
    assert.deepEqual(others, {
      rpId: 'web.whatsapp.com',
      timeout: 60_000,
      userVerification: 'required',
      allowCredentials: [{ id: 'c2FuZGJveC1wYXNza2V5', type: 'public-key', transports: ['internal', 'hybrid'] }],
      extensions: { uvm: true },
    });
    assert.match(ceremony.url, /^http:.*\/passkey-ceremony\//);
    assert.equal((await gateway.during(api('POST', `${path}/pairing-code`, { phone: PHONE }))).body.code, 'CONFLICT');
    const shown = (await api('GET', path)).body;
    assert.deepEqual([shown.status, shown.pairing], ['pending', { step: 'passkey' }]);
    assert.equal((await api('GET', `${path}/qr`)).status, 409);
    assert.equal((await api('POST', `${path}/passkey/confirm`)).status, 404);

    const credential = credentialFor(options.challenge);
    const asBefore = { id: credential.id, raw_id: credential.id, type: credential.type, response: credential.response };
    const taken = await gateway.during(api('POST', `${path}/passkey`, { credential: asBefore }));
    assert.deepEqual([taken.status, taken.body], [200, { ok: true }]);
    const compare = await gateway.until('a code to compare', () => at(api, path, 'passkey_confirm'));
    assert.equal(compare.options, null);
    assert.match(compare.code, /^\w{4}-\w{4}$/);
    assert.deepEqual((await api('GET', path)).body.pairing, { step: 'passkey_confirm' });
    assert.equal((await api('POST', `${path}/passkey`, { credential })).status, 404);

    assert.equal((await gateway.during(api('POST', `${path}/passkey/confirm`))).status, 200);
    const linked = await gateway.until('it is online', async () => {
      const { body } = await api('GET', path);
      return body.status === 'connected' && body;
    });
    assert.deepEqual([linked.phone_number, linked.pairing], [PHONE, null]);
    assert.equal((await api('GET', `${path}/passkey`)).status, 404);
    assert.equal((await api('POST', `${path}/passkey`, { credential })).status, 404);
    assert.equal((await api('POST', `${path}/passkey/confirm`)).status, 404);

    await gateway.until('both steps are told', () => receiver.of('session.passkey').length === 2);
    assert.ok(!JSON.stringify(receiver.of('session.passkey')).includes(ceremony.token), 'nobody else is told the token');
    const told = receiver.of('session.passkey').map(({ body }) => [body.session_id, body.data]);
    assert.deepEqual(told, [
      [id, { step: 'passkey' }],
      [id, { step: 'passkey_confirm' }],
    ]);
    const { events } = (await api('GET', '/v1/events/pull')).body;
    assert.ok(!JSON.stringify(events).includes(ceremony.token));
    assert.equal(events.filter(({ type }: { type: string }) => type === 'session.passkey').length, 2);
  });

  it('accepts a valid passkey after an invalid one, until the step expires', async (t) => {
    const { gateway, api, path, ask } = await aShyPhone(t, kind);
    const { options, expires_at } = await ask();
    const wrong = await gateway.during(api('POST', `${path}/passkey`, { credential: credentialFor('bm90IHRoaXM') }));
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'VALIDATION_FAILED']);
    const nonsense = { ...credentialFor(options.challenge), response: { clientDataJSON: 'AAAA', authenticatorData: 'A', signature: 'A' } };
    assert.equal((await gateway.during(api('POST', `${path}/passkey`, { credential: nonsense }))).status, 400);
    assert.equal((await api('POST', `${path}/passkey`, { credential: { id: 'x' } })).body.code, 'VALIDATION_FAILED');
    const twoIds = { credential: { ...credentialFor(options.challenge), rawId: 'b3RoZXI' } };
    assert.deepEqual((await api('POST', `${path}/passkey`, twoIds)).body.details[0].path, 'credential.rawId');
    assert.equal((await api('GET', `${path}/passkey`)).body.step, 'passkey');

    await gateway.clock.advanceTo(expires_at + 1_000);
    assert.equal((await api('GET', `${path}/passkey`)).status, 404);
    await gateway.until('linking is over', async () => (await api('GET', path)).body.pairing === null);
    const late = await api('POST', `${path}/passkey`, { credential: credentialFor(options.challenge) });
    assert.deepEqual([late.status, late.body.code], [404, 'NOT_FOUND']);
  });

  it('leaves the passkey step when the owner cancels it', async (t) => {
    const { gateway, api, path, ask } = await aShyPhone(t, kind);
    const { options } = await ask();
    assert.equal((await gateway.during(api('POST', `${path}/disconnect`))).status, 202);
    assert.equal((await api('GET', path)).body.pairing, null);
    assert.equal((await api('GET', `${path}/passkey`)).status, 404);
    assert.equal((await api('POST', `${path}/passkey`, { credential: credentialFor(options.challenge) })).status, 404);
  });

  for (const step of ['passkey', 'passkey_confirm'] as const)
    it(`starts over if the process crashes in step ${step}, and rejects the old passkey`, async (t) => {
      const before = await aShyPhone(t, kind);
      const { options: old } = await before.ask();
      if (step === 'passkey_confirm') {
        const credential = credentialFor(old.challenge);
        assert.equal((await before.gateway.during(before.api('POST', `${before.path}/passkey`, { credential }))).status, 200);
        await before.gateway.until('a code to compare', () => at(before.api, before.path, 'passkey_confirm'));
      }
      const { acme, device, receiver, path } = before;
      const { gateway, api } = fixtureOf(await before.gateway.crash(), acme, device, receiver);
      const qr = await gateway.until('a new code', async () => (await api('GET', `${path}/qr`)).body.qr);
      assert.equal((await api('GET', `${path}/passkey`)).status, 404);
      assert.equal((await api('POST', `${path}/passkey`, { credential: credentialFor(old.challenge) })).status, 404);

      gateway.sandbox.phone(PHONE).scan({ qr });
      const { options } = await gateway.until('it asks again', () => at(api, path, 'passkey'));
      assert.notEqual(options.challenge, old.challenge);
      assert.equal((await gateway.during(api('POST', `${path}/passkey`, { credential: credentialFor(old.challenge) }))).status, 400);
      assert.equal((await gateway.during(api('POST', `${path}/passkey`, { credential: credentialFor(options.challenge) }))).status, 200);
      await gateway.until('a code to compare', () => at(api, path, 'passkey_confirm'));
      await gateway.during(api('POST', `${path}/passkey/confirm`));
      await gateway.until('it is online', async () => (await api('GET', path)).body.status === 'connected');
    });
});

describe('a sandbox phone with a passkey', () => {
  for (const first of ['phone', 'device'] as const) {
    it(`signs the request, and confirms the code ${first === 'phone' ? 'before' : 'after'} the device does`, async (t) => {
      const { gateway, api, path, ask } = await aShyPhone(t, embedded);
      const { act } = sandboxVerbs(gateway.sandbox);
      assert.throws(() => act(PHONE, { act: 'confirm_passkey', code: 'ABCD-1234' }), { code: 'CONFLICT' });
      const { options } = await ask();
      const { credential } = act(PHONE, { act: 'sign_passkey', options });
      assert.equal(credential?.rawId, options.allowCredentials[0].id);
      const signed = JSON.parse(Buffer.from(credential?.response.clientDataJSON ?? '', 'base64url').toString());
      assert.deepEqual([signed.challenge, signed.origin], [options.challenge, 'https://web.whatsapp.com']);
      assert.equal((await gateway.during(api('POST', `${path}/passkey`, { credential }))).status, 200);
      const { code } = await gateway.until('a code to compare', () => at(api, path, 'passkey_confirm'));
      assert.throws(() => act(PHONE, { act: 'confirm_passkey', code: '1111-1111' }), { code: 'CONFLICT' });
      const byPhone = async () => void act(PHONE, { act: 'confirm_passkey', code });
      const byDevice = async () => assert.equal((await gateway.during(api('POST', `${path}/passkey/confirm`))).status, 200);
      const [one, other] = first === 'phone' ? [byPhone, byDevice] : [byDevice, byPhone];
      await one();
      assert.notEqual((await api('GET', path)).body.status, 'connected', 'one side is not enough');
      await other();
      await gateway.until('it is online', async () => (await api('GET', path)).body.status === 'connected');
    });
  }
});

type Shy = Fixture & {
  readonly id: string;
  readonly path: string;
  /** Its phone scans the code; gives what the network then asks for. */
  ask(): Promise<Answer['body']>;
};

async function aShyPhone(t: Scope, kind: StoreKind): Promise<Shy> {
  const fixture = await aWebhookFixture(t, kind);
  const { gateway, api } = fixture;
  await fixture.subscribe(['session.passkey']);
  gateway.sandbox.phone(PHONE).set({ passkey: true });
  const { id } = (await api('POST', '/v1/sessions', {})).body;
  const path = `/v1/sessions/${id}`;
  await api('POST', `${path}/connect`);
  return {
    ...fixture,
    id,
    path,
    async ask() {
      const qr = await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr);
      assert.equal((await api('GET', `${path}/passkey`)).status, 404);
      gateway.sandbox.phone(PHONE).scan({ qr });
      return gateway.until('a passkey is asked for', () => at(api, path, 'passkey'));
    },
  };
}

async function at(api: Fixture['api'], path: string, step: string) {
  const { status, body } = await api('GET', `${path}/passkey`);
  return status === 200 && body.step === step && body;
}
