import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { resealSecrets } from '../../actors/services/credentials/sealed-secrets.ts';
import { OfficialKeyring } from '../../actors/services/official/keys.ts';
import { secretKeysOf } from '../../runtime/sealing/keys.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { officialHooksIn, officialHooksSpec } from '../../store/devices/official-hooks.ts';
import { officialNumbersIn } from '../../store/devices/official-numbers.ts';
import { officialRewritesIn } from '../../store/secrets/official-rewrites.ts';
import { DORA, remembering } from '../actors/services/privacy/erasure-fixture.ts';
import { ANNA } from '../support/gateway.ts';
import { anOfficialDevice, anOfficialShop } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';
import { leastOfThree } from '../support/turns.ts';

const signed = (secret: string, body: string | Buffer): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

eachStore("an official number's webhook", (kind) => {
  it('accepts each signed call once, and routes messages to the right number', async (t) => {
    const { gateway, acme, made, keys, inbound } = await anOfficialShop(t, kind);
    const { pathname } = new URL(made.official.webhook_url);
    const other = await anOfficialDevice(gateway, await gateway.signUp('Other', '+6281100008888'), '6281100000078');
    const bodyOf = (phoneNumberId: string, id: string, text: string) =>
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [
          {
            id: keys.waba_id,
            changes: [
              {
                field: 'messages',
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { display_phone_number: '1', phone_number_id: phoneNumberId },
                  contacts: [{ profile: { name: 'Anna' }, wa_id: ANNA, user_id: 'ID.1' }],
                  messages: [{ from: ANNA, id, timestamp: '1767225600', type: 'text', text: { body: text } }],
                },
              },
            ],
          },
        ],
      });
    const post = (body: string, signature: string | null, path = pathname) =>
      gateway.api('POST', path, body, signature === null ? {} : { 'x-hub-signature-256': signature });

    const body = bodyOf(keys.phone_number_id, 'wamid.A', 'hi@x/y');
    assert.equal((await post(body, null)).status, 401);
    assert.equal((await post(body, signed('wrong', body))).status, 401);
    assert.equal((await post(body, signed(keys.app_secret, body), '/hooks/official/nobody')).status, 404);
    assert.equal((await post('{', signed(keys.app_secret, '{'))).status, 400);
    for (const _ of [1, 2]) assert.equal((await post(body, signed(keys.app_secret, body))).status, 200);
    await gateway.until('it came', async () => (await inbound()).length === 1);
    // A hop decoded the escaped form that was signed.
    const decoded = bodyOf(keys.phone_number_id, 'wamid.B', 'ä 👍');
    const wire = decoded.replace(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
    assert.equal((await post(decoded, signed(keys.app_secret, wire))).status, 200);
    await gateway.until('the second came', async () => (await inbound()).length === 2);
    // The number of another tenant, and one that nobody has: answered, and dropped.
    for (const id of [other.keys.phone_number_id, '123']) {
      const foreign = bodyOf(id, 'wamid.C', 'hello');
      assert.equal((await post(foreign, signed(keys.app_secret, foreign))).status, 200);
    }
    await gateway.during(gateway.clock.advance(60_000));
    assert.deepEqual([(await inbound()).length, (await other.inbound()).length], [2, 0]);

    // A large body with a wrong signature holds up nobody else.
    const large = `{"a":"${'é'.repeat(1_900_000)}"}`;
    const refused = async (): Promise<void> => assert.equal((await post(large, signed('wrong', 'x'))).status, 401);
    const longest = await leastOfThree(refused);
    assert.ok(longest < 100, `${longest} ms`);

    const verify = (query: string, path = pathname) => gateway.api('GET', `${path}?${query}`);
    const right = `hub.mode=subscribe&hub.verify_token=${made.verify_token}`;
    const answer = await verify(`${right}&hub.challenge=12345`);
    assert.deepEqual([answer.status, answer.body, answer.headers.get('content-type')], [200, '12345', 'text/plain; charset=utf-8']);
    assert.equal((await verify(`${right}&hub.challenge=%3Cscript%3E`)).status, 403);
    assert.equal((await verify('hub.mode=subscribe&hub.verify_token=no&hub.challenge=1')).status, 403);
    assert.equal((await verify(`${right}&hub.challenge=1`, '/hooks/official/nobody')).status, 404);

    // New secrets: the former one counts for a day, unless it is ended.
    const official = { app_secret: 'a-new-secret-of-the-app' };
    assert.equal((await acme.api('PATCH', `/v1/sessions/${made.id}`, { official })).status, 200);
    const late = bodyOf(keys.phone_number_id, 'wamid.D', 'late');
    assert.equal((await post(late, signed(keys.app_secret, late))).status, 200);
    await acme.api('PATCH', `/v1/sessions/${made.id}`, { official: { end_former: true } });
    assert.equal((await post(late, signed(keys.app_secret, late))).status, 401);
    assert.equal((await post(late, signed(official.app_secret, late))).status, 200);
  });
});

eachStore('a flood of signed webhooks for a disconnected number', (kind) => {
  it('is limited per number and tenant, and is accepted again once earlier webhooks have been processed', async (t) => {
    const { gateway, acme, made, keys, path } = await anOfficialShop(t, kind);
    const { pathname } = new URL(made.official.webhook_url);
    const hooks = officialHooksIn(gateway.store);
    const second = await anOfficialDevice(gateway, acme, '6281100000078', keys.waba_id);
    await acme.api('POST', `${path}/disconnect`);
    let serial = 0;
    const post = (ids: readonly string[], bytes: number) => {
      serial += 1;
      const changes = ids.map((id) => ({
        field: 'messages',
        value: { metadata: { phone_number_id: id }, serial, text: 'x'.repeat(bytes) },
      }));
      const body = JSON.stringify({ entry: [{ id: keys.waba_id, changes }] });
      return gateway.api('POST', pathname, body, { 'x-hub-signature-256': signed(keys.app_secret, body) });
    };
    const waiting = (session_id: string) => hooks.waitingBytes({ session_id }, 1e12);
    /** Large ones that came before. */
    const seed = async (count: number, sessionId: (nth: number) => string) => {
      const rows = Array.from({ length: count }, (_, nth) => ({
        ...{ _id: `${sessionId(nth)} ${nth}`, tenant_id: acme.id, session_id: sessionId(nth), body: '', waiting: true, seq: String(nth) },
        ...{ weight: 8 * 1024 * 1024, expires_at: gateway.clock.now() + 1e9 },
      }));
      await hooks.add(rows);
      return async () => {
        await hooks.done(rows.map(({ _id }) => _id));
        await gateway.during(gateway.clock.advance(2_000));
      };
    };
    const readSeven = await seed(7, () => made.id);
    assert.equal((await post([keys.phone_number_id], 4_000_000)).status, 200);
    const refused = await post([keys.phone_number_id], 10);
    assert.deepEqual([refused.status, refused.body.code, refused.headers.get('retry-after')], [503, 'OVERLOADED', '60']);
    assert.equal(await waiting(made.id), 64 * 1024 * 1024);
    // The part of another number is stored and read all the same.
    const mixed = await post([keys.phone_number_id, second.keys.phone_number_id], 10);
    assert.equal(mixed.status, 503);
    const ofSecond = () =>
      gateway.store.collection<{ _id: string }>(officialHooksSpec).countDocuments({ session_id: second.id, waiting: false });
    await gateway.until('the other number has read it', async () => (await ofSecond()) === 1);

    await readSeven();
    await acme.api('POST', `${path}/connect`);
    await gateway.until('all is read', async () => (await waiting(made.id)) === 0);
    const readOthers = await seed(32, (nth) => `other ${nth % 5}`);
    await gateway.during(gateway.clock.advance(2_000));
    assert.equal((await post([keys.phone_number_id], 10)).status, 503);
    await readOthers();
    assert.equal((await post([keys.phone_number_id], 10)).status, 200);
  });
});

eachStore('the keys of an official number', (kind) => {
  it('can be set only by the owner, are never shown, and belong to one device', async (t) => {
    const { acme, keys, session, path, gateway } = await anOfficialShop(t, kind);
    const text = JSON.stringify([await session(), (await acme.api('GET', '/v1/sessions')).body]);
    for (const secret of [keys.app_secret, keys.access_token]) assert.ok(!text.includes(secret));
    const again = await acme.api('POST', '/v1/sessions', { official: keys });
    assert.deepEqual([again.status, again.body.code], [409, 'PHONE_IN_USE']);
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'all', scopes: ['read', 'send', 'manage'] })).body;
    const byKey = gateway.as(key);
    assert.equal((await byKey('PATCH', path, { official: { access_token: 'another-token' } })).status, 403);
    assert.ok((await byKey('GET', path)).body.official.webhook_url);
    const { key: reader } = (await acme.api('POST', '/v1/api-keys', { name: 'read', scopes: ['read'] })).body;
    assert.equal((await gateway.as(reader)('GET', path)).body.official.webhook_url, null);
  });

  it('are re-encrypted with a new key, as are waiting webhooks', async (t) => {
    const { acme, gateway, id } = await anOfficialShop(t, kind);
    await acme.api('PATCH', `/v1/sessions/${id}`, { official: { app_secret: 'a-new-secret-of-the-app' } });
    const numbers = officialNumbersIn(gateway.store);
    const hooks = officialHooksIn(gateway.store);
    const [oldKey, newKey] = ['a'.repeat(64), 'b'.repeat(64)];
    const sealedWith = (key: string, before: readonly string[]) => createSealer(secretKeysOf(key, before, ''));
    const old = new OfficialKeyring(sealedWith(oldKey, []), numbers);
    const own = old.renewed((await numbers.find(acme.id, id))!, { app_secret: 'second', access_token: 'third' }, gateway.clock.now());
    await numbers.set(acme.id, id, { ...own, former: null });
    const body = old.sealHook(id, '{"waits":true}');
    await hooks.add([
      { _id: 'h', tenant_id: acme.id, session_id: id, body, waiting: true, weight: 4_096, seq: '1', expires_at: gateway.clock.now() + 1e9 },
    ]);

    await resealSecrets(officialRewritesIn(gateway.store), sealedWith(newKey, [oldKey]));
    const renewed = new OfficialKeyring(sealedWith(newKey, []), numbers);
    const row = (await numbers.find(acme.id, id))!;
    const sealer = sealedWith(newKey, []);
    assert.equal(sealer.open(id, 'official app_secret', row.official.app_secret), 'second');
    assert.equal(sealer.open(id, 'official access_token', row.official.access_token), 'third');
    const [waiting] = (await hooks.waiting(id, 10)).filter(({ _id }) => _id === 'h');
    assert.equal(renewed.openHook(id, waiting!.body), '{"waits":true}');
  });
});

eachStore('webhooks that wait while a person is erased', (kind) => {
  it("do not restore the erased person's messages, and do not lose other people's messages", async (t) => {
    const remembered = remembering(kind);
    const { gateway, acme, id, path, chat, inbound, wrote, says, session } = await anOfficialShop(t, remembered.kind);
    await acme.api('POST', `${path}/disconnect`);
    await gateway.until('it is offline', async () => (await session()).status !== 'connected');
    const now = gateway.clock.now();
    await wrote(DORA, now, 'Before');
    await wrote(ANNA, now, 'From Anna');
    const { body } = await acme.api('POST', '/v1/privacy/erasures', { phone: `+${DORA}`, confirm: true });
    const isDone = async () => (await acme.api('GET', `/v1/privacy/erasures/${body.id}`)).body.status === 'done';
    await gateway.until('she is erased', isDone);
    await acme.api('POST', `${path}/connect`);
    await gateway.until('the other came', async () => (await inbound()).length > 0);
    await gateway.during(gateway.clock.advance(60_000));
    assert.deepEqual(
      (await inbound()).map(({ body: text }: { body: string }) => text),
      ['From Anna'],
    );
    assert.deepEqual(await remembered.traces(), {});
    // A status that comes after the erasure, for something sent before, brings back neither her number nor an id.
    const failed = (code: number, recipient: object) => ({
      ...{ id: 'wamid.OLD', status: 'failed', timestamp: String(now / 1_000), errors: [{ code }], ...recipient },
    });
    const unknown = { recipient_user_id: 'ID.never-seen' };
    await says({ statuses: [failed(131_050, { recipient_id: DORA }), failed(131_050, unknown), failed(131_047, unknown)] });
    const waiting = async (): Promise<number> => (await officialHooksIn(gateway.store).waiting(id, 10)).length;
    await gateway.until('the statuses are read', async () => (await waiting()) === 0);
    assert.deepEqual(await remembered.traces(), {});
    assert.equal(await remembered.opened.get('official_people')?.countDocuments({}), 0);
    // Messages that Dora writes after the erasure are kept.
    await wrote(DORA, gateway.clock.now(), 'After');
    await gateway.until('she wrote again', async () => (await inbound()).length === 2);
    assert.ok((await chat(DORA)).window_until > gateway.clock.now());
  });
});
