import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { ANNA, type Answer, type Api, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const DAY = 86_400_000;

eachStore('an error response', (kind) => {
  it('names missing fields, ignored fields, and times that are not in milliseconds', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const send = (body: object, path = 'messages') => acme.api('POST', `${device.path}/${path}`, { chat_id: ANNA, ...body });
    const paths = async (body: object, path?: string) => (await send(body, path)).body.details.map((one: { path: string }) => one.path);
    const now = gateway.clock.now();

    assert.deepEqual(await paths({ type: 'poll', capton: 'x' }), ['capton', 'poll_name', 'choices']);
    assert.deepEqual(await paths({ type: 'image' }), ['media_r2_key']);
    assert.deepEqual(await paths({ type: 'text', expires_at: now - 1 }), ['body', 'expires_at']);
    const seconds = await send({ type: 'text', body: 'Hi', expires_at: Math.floor((now + DAY) / 1_000) });
    assert.deepEqual([seconds.status, /milliseconds/.test(seconds.body.error)], [400, true]);
    assert.deepEqual(await paths({ type: 'contact', scheduled_at: now - DAY }, 'scheduled'), ['contact', 'scheduled_at']);
    assert.match((await send({ type: 'text', body: 'Hi', scheduled_at: now - DAY }, 'scheduled')).body.error, /milliseconds/);
    assert.match((await send({ type: 'text', body: 'Hi', scheduled_at: 1_767_225_600 }, 'scheduled')).body.error, /milliseconds/);

    const taken = await send({ type: 'text', body: 'Hi', caption: 'ignored', poll_name: 'too' });
    assert.equal(taken.status, 202);
    assert.deepEqual(
      taken.body.warnings.map((one: { code: string; message: string }) => [one.code, one.message.split(' ', 1)[0]]),
      [
        ['FIELD_IGNORED', 'caption'],
        ['FIELD_IGNORED', 'poll_name'],
      ],
    );
    assert.equal((await send({ type: 'text', body: 'Hi' })).body.warnings, undefined);

    const bulk = await acme.api('POST', `${device.path}/messages/bulk`, { messages: [{ chat_id: ANNA, type: 'poll' }] });
    assert.deepEqual(
      bulk.body.results[0].details.map((one: { path: string }) => one.path),
      ['poll_name', 'choices'],
    );
  });

  it("is not returned for a chat address in an older tool's format", async (t) => {
    const gateway = await aGateway(t, { kind });
    const device = await (await gateway.signUp()).linked(PHONE);
    const id = await device.text(`${ANNA}@c.us`, 'Hi');
    assert.equal((await device.message(id)).chat_id, `${ANNA}@s.whatsapp.net`);
  });

  it('lists the accepted proxy URLs, and explains how to write @ in a password', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const change = (proxy_url: string, language = 'en') => acme.api('PATCH', device.path, { proxy_url }, { 'accept-language': language });
    for (const proxy of ['socks5h://proxy.example.com:1080', 'socks5://me:p@ss@proxy.example.com:1080', 'proxy.example.com']) {
      const { status, body } = await change(proxy);
      assert.equal(status, 400);
      assert.match(body.error, /http:\/\/ or https:\/\/ or socks5:\/\/; write @ in a password as %40/);
    }
    assert.match((await change('ftp://x', 'id')).body.error, /diawali http:\/\/ atau/);
  });

  it('says that a URL must use https, without calling its host private', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const hook = async (url: string) =>
      (await acme.api('POST', '/v1/webhooks', { url, secret: 's'.repeat(32), events: ['message.sent'] })).body;
    const file = async (url: string) => (await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'image', url })).body;

    assert.deepEqual((await hook('http://example.com/')).code, 'WEBHOOK_URL_BLOCKED');
    assert.match((await hook('http://example.com/')).error, /is not https/);
    assert.match((await hook('https://127.0.0.1/')).error, /private network.*EGRESS_ALLOW/);
    for (const body of [await file('http://example.com/a.png'), await hook('http://example.com/')])
      assert.doesNotMatch(body.error, /private/);
    assert.match((await file('http://example.com/a.png')).error, /does not begin with https/);
    assert.match((await file('https://10.0.0.1/a.png')).error, /private or local network/);
  });

  it('names the limit, its value, and the plan that has a higher limit', async (t) => {
    const plans = plansFrom({ free: { devices: 1 } });
    const gateway = await aGateway(t, { kind, config: { plans }, limits: new LimitsInMemory() });
    const acme = await gateway.signUp();
    assert.equal((await acme.api('POST', '/v1/sessions', {})).status, 201);
    const beyond = await acme.api('POST', '/v1/sessions', {});
    assert.deepEqual([beyond.status, beyond.body.error], [402, "The plan's limit is reached: free has 1 devices; starter has 5"]);

    const key = (await acme.api('POST', '/v1/api-keys', { name: 'shop', rate_limit_per_minute: 1 })).body.key;
    const asKey = gateway.as(key);
    assert.equal((await asKey('GET', '/v1/usage')).status, 200);
    const often = await asKey('GET', '/v1/usage');
    assert.deepEqual([often.status, often.body.scope], [429, 'api_key']);
    assert.match(often.body.error, /at most 1 requests of this API key per minute/);
  });

  it('names the required header if credentials are missing or wrong', async (t) => {
    const gateway = await aGateway(t, { kind });
    const none = await gateway.api('GET', '/v1/me', undefined, { 'x-api-key': 'x'.repeat(43) });
    assert.deepEqual([none.status, /Authorization: Bearer/.test(none.body.error)], [401, true]);
    assert.match((await gateway.as('x'.repeat(43))('GET', '/v1/me')).body.error, /Authorization: Bearer.*unknown/);
    assert.match((await gateway.api('GET', '/v1/admin/tenants')).body.error, /X-Admin-Secret/);
    assert.match((await gateway.api('GET', '/v1/me?lang=id', undefined)).body.error, /kirim header/);
  });

  it("explains an impossible state change in the caller's language", async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { id } = (await acme.api('POST', '/v1/sessions', {})).body;
    const refused = async (api: Api, path: string, body?: object) => {
      const answers: Answer[] = [];
      for (const lang of ['en', 'id']) answers.push(await gateway.during(api('POST', `${path}?lang=${lang}`, body)));
      assert.deepEqual(
        answers.map(({ status, body: { code } }) => `${status} ${code}`),
        ['409 CONFLICT', '409 CONFLICT'],
      );
      return answers.map(({ body: { error } }) => error.split(': ').at(-1));
    };
    const nowhere = ['the device is not running on any node', 'perangkat tidak berjalan di node mana pun'];
    assert.deepEqual(await refused(gateway.operator, `/v1/admin/sessions/${id}/move`, {}), nowhere);
    assert.deepEqual(await refused(acme.api, `/v1/sessions/${id}/restart`), ['the device is not linked', 'perangkat tidak tertaut']);
    const device = await acme.linked(PHONE);
    const send = await device.text(ANNA, 'hi');
    await gateway.until('it is sent', async () => (await device.message(send)).status !== 'queued');
    const state = await refused(acme.api, `${device.path}/messages/${send}/cancel`);
    assert.match(state.join(), /^the message is (sent|delivered|read),pesan berstatus (sent|delivered|read)$/);
  });

  it('has status 404 for a malformed id on every path', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const rows = gateway.node.http.rows.filter(
      ({ access, path, params }) => /\{(id|sessionId|ruleId|messageId)\}/.test(path) && access !== 'none' && params,
    );
    assert.ok(rows.length > 40);
    for (const { method, path, access } of rows) {
      const api = access === 'operator' ? gateway.operator : acme.api;
      const { status, body } = await api(method, path.replace(/\{\w+\}/g, 'not-an-id'), method === 'GET' ? undefined : {});
      assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], `${method} ${path}`);
    }
  });
});
