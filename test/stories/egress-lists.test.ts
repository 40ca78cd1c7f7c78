import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../scripts/wiring/config.ts';
import { anAiShop } from '../actors/services/ai-reply/ai-fixture.ts';
import { PNG } from '../actors/services/media/files.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore, embedded, type Scope } from '../support/stores.ts';

const FUTURE_MS = 3_600_000;

/** A private host of the operator, by every name that leads to it; with what was asked of it. */
async function aPrivateHost(scope: Scope, location = '/secret') {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === '/there') response.writeHead(302, { location }).end();
    else response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  });
  // Both families, as far as this machine has them.
  server.listen(0, '::');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '127.1', '[0:0:0:0:0:0:0:1]'];
  return { asked, port, urls: hosts.map((host) => `http://${host}:${port}`), places: hosts.map((host) => `${host}:${port}`) };
}

/** Every call that makes the gateway read an address, with what it answers for this one. */
async function aReader(scope: Scope, config: Partial<Config>) {
  const gateway = await aGateway(scope, { kind: embedded, config });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const file = { chat_id: ANNA, type: 'image' };
  const scheduled_at = gateway.clock.now() + FUTURE_MS;
  const calls: Readonly<Record<string, (url: string) => Promise<{ status: number; body: { code?: string; error?: string } }>>> = {
    message: (url) => acme.api('POST', `${device.path}/messages`, { ...file, url }),
    scheduled: (url) => acme.api('POST', `${device.path}/scheduled`, { ...file, scheduled_at, url }),
    document: (url) => acme.api('POST', '/v1/ai-reply/documents/url', { url }),
    async bulk(url) {
      const { status, body } = await acme.api('POST', `${device.path}/messages/bulk`, { messages: [{ ...file, url }] });
      return status >= 400 ? { status, body } : { status: 'id' in body.results[0] ? 202 : 400, body: body.results[0] };
    },
  };
  return { gateway, acme, device, calls };
}

eachStore('EGRESS_ALLOW', (kind) => {
  it('makes a private host available to webhooks, but not to reads by URL', async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, config: { egress_allow: [receiver.place] } });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const hook = await acme.api('POST', '/v1/webhooks', { url: receiver.url, secret: 's'.repeat(32), events: ['message.sent'] });
    assert.equal(hook.status, 201, JSON.stringify(hook.body));
    const refused = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'image', url: receiver.url });
    assert.deepEqual([refused.status, refused.body.code], [400, 'URL_BLOCKED']);
    await device.text(ANNA, 'hello');
    await gateway.until('the webhook is delivered', () => receiver.received.length > 0);
  });
});

it('hosts in EGRESS_ALLOW cannot be read by any call, under any of their names', async (t) => {
  const host = await aPrivateHost(t);
  const { calls } = await aReader(t, { egress_allow: host.places });
  const passed: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    for (const url of host.urls) {
      const { status, body } = await call(`${url}/secret.png`);
      if (status !== 400 || body.code !== 'URL_BLOCKED') passed.push(`${name} ${url}: ${status} ${JSON.stringify(body)}`);
    }
  }
  assert.deepEqual(passed, []);
  assert.deepEqual(host.asked, []);
});

it('reads from hosts in EGRESS_ALLOW_READS are not redirected to hosts in EGRESS_ALLOW', async (t) => {
  const secret = await aPrivateHost(t);
  for (const [n, url] of secret.urls.entries()) {
    const open = await aPrivateHost(t, `${url}/secret.png`);
    const reads = [`127.0.0.1:${open.port}`];
    const { gateway, acme, calls } = await aReader(t, { egress_allow: secret.places, egress_allow_reads: reads });
    for (const [name, call] of Object.entries(calls)) {
      if (n > 0 && name !== 'message') continue;
      const { status, body } = await call(`http://${reads[0]}/there`);
      if (name !== 'document') assert.deepEqual([name, url, status, body.code], [name, url, 400, 'URL_BLOCKED']);
      else {
        const list = async () => (await acme.api('GET', '/v1/ai-reply/documents')).body.documents;
        while ((await list())[0].status === 'parsing') await gateway.during(pause(10));
        assert.deepEqual([(await list())[0].status, /EGRESS_ALLOW_READS|https/.test((await list())[0].error)], ['failed', true]);
      }
    }
  }
  assert.deepEqual(secret.asked, []);
});

it('private hosts in EGRESS_ALLOW_READS can be read, but not used for webhooks, push or proxies', async (t) => {
  const host = await aPrivateHost(t);
  const place = `127.0.0.1:${host.port}`;
  const { gateway, acme, calls } = await aReader(t, { egress_allow_reads: [place] });
  for (const [name, call] of Object.entries(calls)) {
    const { status, body } = await call(`http://${place}/menu.png`);
    assert.ok(status < 300, `${name}: ${status} ${JSON.stringify(body)}`);
  }
  await gateway.until('each was read', () => host.asked.length >= Object.keys(calls).length);
  const read = host.asked.length;
  const url = `http://${place}/hook`;
  const keys = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') };
  for (const [path, body, code] of [
    ['/v1/webhooks', { url, secret: 's'.repeat(32), events: ['message.sent'] }, 'WEBHOOK_URL_BLOCKED'],
    ['/v1/push/subscribe', { endpoint: url, keys }, 'VALIDATION_FAILED'],
    ['/v1/sessions', { proxy_url: url }, 'URL_BLOCKED'],
  ] as const) {
    const answer = await acme.api('POST', path, body);
    assert.deepEqual([path, answer.status, answer.body.code], [path, 400, code], JSON.stringify(answer.body));
  }
  assert.equal(host.asked.length, read);
});

it('the error for a rejected address names the egress setting that would allow it', async (t) => {
  const { calls, acme } = await aReader(t, {});
  for (const call of Object.values(calls)) assert.match((await call('https://10.0.0.1/a.png')).body.error ?? '', /EGRESS_ALLOW_READS/);
  const { body } = await acme.api('POST', '/v1/sessions', { proxy_url: 'http://10.0.0.1:8080' });
  assert.match(body.error, /EGRESS_ALLOW\)/);
});

it("the operator's private AI engine needs no egress setting, but tenants cannot read from it", async (t) => {
  const host = await aPrivateHost(t);
  const ai_url = `http://127.0.0.1:${host.port}/v1`;
  const shop = await anAiShop(t, embedded, { ai_url, ai_model: 'small' });
  await shop.gateway.during(shop.api('POST', '/v1/ai-reply/ask', { question: 'ongkir berapa?' }));
  assert.match(host.asked.join(), /POST \/v1\/chat\/completions/);
  const refused = await shop.api('POST', '/v1/ai-reply/documents/url', { url: `${ai_url}/models` });
  assert.deepEqual([refused.status, refused.body.code], [400, 'URL_BLOCKED']);
});
