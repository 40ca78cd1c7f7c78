import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { aDirectory, embedded } from '../support/stores.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SECRET = 'a secret that only the two of us know';

/** Before the gateway: of the sends, the answer of the first is lost, and the second is refused for the moment. Tags it cannot reach. */
async function shaky(t: TestContext, { node }: Gateway) {
  const keys: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.url === '/v1/tags') return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    const isSend = request.url?.endsWith('/messages') === true && request.method === 'POST';
    if (isSend) keys.push(keyOf(request.headers));
    if (isSend && keys.length === 2) {
      response
        .writeHead(429, { 'content-type': 'application/json', 'retry-after': '0' })
        .end('{"error": "Too many", "code": "RATE_LIMITED"}');
      return;
    }
    const { authorization = '', 'content-type': type } = request.headers;
    const answer = await fetch(`${node.url}${request.url}`, {
      method: String(request.method),
      headers: { authorization, ...(type && { 'content-type': type }), ...(isSend && { 'idempotency-key': String(keys.at(-1)) }) },
      ...(request.method === 'POST' && { body }),
    });
    if (isSend && keys.length === 1) return void request.socket.destroy();
    response
      .writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) })
      .end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, keys };
}

const keyOf = (headers: IncomingHttpHeaders): string | undefined => headers['idempotency-key']?.toString();

async function aShop(t: TestContext) {
  const gateway = await aGateway(t, { kind: embedded });
  const acme = await gateway.signUp();
  const desk = await acme.linked(PHONE);
  const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'Client' })).body;
  for (let nth = 0; nth < 5; nth += 1) await acme.api('POST', '/v1/contacts', { phone: `+62812555500${10 + nth}`, name: `Person ${nth}` });
  gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Are you open?' } });
  sandboxVerbs(gateway.sandbox).write(ANNA, { to: PHONE, type: 'image', file: { size: 1_000, seed: 1, content_type: 'image/jpeg' } });
  const pictures = async () => (await acme.api('GET', `${desk.path}/messages?type=image`)).body.messages;
  await gateway.until('both came', async () => (await pictures())[0]?.media_r2_key);
  const { url, keys } = await shaky(t, gateway);
  const raw = JSON.stringify({ id: 'evt_1', type: 'message.received', data: {} });
  const signature = `sha256=${createHmac('sha256', SECRET).update(raw).digest('base64')}`;
  const env = {
    ...process.env,
    ADDRESS: url,
    KEY: key,
    SESSION: desk.id,
    TO: `+${ANNA}`,
    PICTURE: (await pictures())[0].id,
    RAW: raw,
    SIGNATURE: signature,
    SECRET,
  };
  const run = (program: string, args: readonly string[], cwd: string, more = {}): Promise<string> =>
    gateway.during(
      new Promise((done, failed) => {
        execFile(program, args, { cwd, env: { ...env, ...more } }, (cause, out, err) =>
          cause ? failed(new Error(`${out}${err}`)) : done(out),
        );
      }),
    );
  const sent = async () =>
    (await acme.api('GET', `${desk.path}/messages?direction=outbound`)).body.messages.map(({ body }: { body: string }) => body);
  return { run, sent, keys };
}

/** The package as it is packed, beside a program that uses it. */
async function packed(t: TestContext, run: Awaited<ReturnType<typeof aShop>>['run']): Promise<string> {
  const directory = aDirectory(t);
  for (const part of ['scripts/client', 'http/openapi/client', 'tsconfig.json', 'package.json'])
    cpSync(join(ROOT, part), join(directory, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const own = join(directory, 'scripts/client');
  await run('npm', ['pack', '--silent', '--pack-destination', directory], own);
  const [tarball = ''] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
  const target = join(directory, 'user/node_modules/messaging-gateway-client');
  mkdirSync(target, { recursive: true });
  await run('tar', ['xzf', join(directory, tarball), '-C', target, '--strip-components=1'], directory);
  return join(directory, 'user');
}

const WRITTEN_IN_JS = `
import { GatewayClient, GatewayError, verifyWebhook } from 'messaging-gateway-client';
const { ADDRESS, KEY, SESSION, TO, PICTURE, RAW, SIGNATURE, SECRET } = process.env;
const gateway = new GatewayClient(ADDRESS, KEY);
await gateway.call('sendMessage', { params: { sessionId: SESSION }, body: { chat_id: TO, type: 'text', body: 'Hello once' } });
const names = [];
for await (const { name } of gateway.pages('listContacts', { query: { limit: 2 } })) names.push(name);
let cursor = null;
for await (const one of gateway.follow()) { cursor = one.cursor; if (one.event.type === 'message.received') break; }
const picture = await gateway.call('getMessageMedia', { params: { sessionId: SESSION, messageId: PICTURE } });
const { rows } = await gateway.call('previewContactImport', { body: new Blob(['phone,name\\n+628125555099,Ani\\n'], { type: 'text/csv' }) });
const none = await gateway.call('listContacts', { query: { q: undefined } });
const behind = await gateway.call('listTags', {}).catch((cause) => cause);
const live = new GatewayClient(ADDRESS, 'nobody').events();
const unknown = await live.next().catch((cause) => cause);
const refused = await gateway.call('getContact', { params: { id: 'nobody' } }).catch((cause) => cause);
const forged = (() => { try { verifyWebhook(RAW + ' ', { 'X-Webhook-Signature': SIGNATURE }, SECRET); return 'taken'; } catch { return 'refused'; } })();
console.log(JSON.stringify([names.length, new Set(names).size === names.length, refused instanceof GatewayError && refused.code,
  verifyWebhook(RAW, new Headers({ 'X-Webhook-Signature': SIGNATURE }), SECRET).id, forged,
  picture.size, rows, none.contacts.length, [behind.status, behind.code, behind.message.includes('502')], unknown.code ?? 'ended']));
`;

const inPython = (isAsync: boolean): string => {
  const [wait, loop, kind] = isAsync ? ['await ', 'async for', 'AsyncGateway'] : ['', 'for', 'Gateway'];
  return `
import asyncio, json, os
from messaging_gateway import AsyncGateway, Gateway, GatewayError, verify_webhook
e = os.environ
${isAsync ? 'async ' : ''}def main():
    gateway = ${kind}(e["ADDRESS"], e["KEY"])
    ${wait}gateway.call("sendMessage", params={"sessionId": e["SESSION"]}, body={"chat_id": e["TO"], "type": "text", "body": "Hello once"})
    names = []
    ${loop} contact in gateway.pages("listContacts", query={"limit": 2}):
        names.append(contact["name"])
    ${loop} event, cursor in gateway.follow():
        if event["type"] == "message.received":
            break
    picture = ${wait}gateway.call("getMessageMedia", params={"sessionId": e["SESSION"], "messageId": e["PICTURE"]})
    rows = (${wait}gateway.call("previewContactImport", body=b"phone,name\\n+628125555099,Ani\\n", content_type="text/csv"))["rows"]
    none = ${wait}gateway.call("listContacts", query={"q": None})
    try:
        ${wait}gateway.call("listTags")
    except GatewayError as refused:
        behind = [refused.status, refused.code, "502" in str(refused)]
    unknown = None
    try:
        ${wait}${kind}(e["ADDRESS"], "nobody").call("listContacts")
    except GatewayError as refused:
        unknown = refused.code
    code = None
    try:
        ${wait}gateway.call("getContact", params={"id": "nobody"})
    except GatewayError as refused:
        code = refused.code
    raw = e["RAW"].encode()
    try:
        verify_webhook(raw + b" ", {"X-Webhook-Signature": e["SIGNATURE"]}, e["SECRET"])
        forged = "taken"
    except ValueError:
        forged = "refused"
    event = verify_webhook(e["RAW"], {"x-webhook-signature": e["SIGNATURE"]}, e["SECRET"])
    print(json.dumps([len(names), len(set(names)) == len(names), code, event["id"], forged,
        len(picture), rows, len(none["contacts"]), behind, unknown]))
${isAsync ? 'asyncio.run(main())' : 'main()'}
`;
};

const DONE = [6, true, 'NOT_FOUND', 'evt_1', 'refused', 1_000, 1, 6, [502, '', true], 'UNAUTHORIZED'];

it('the JavaScript package sends a message once, reads pages and events, and verifies webhooks', { timeout: 600_000 }, async (t) => {
  const { run, sent, keys } = await aShop(t);
  const user = await packed(t, run);
  writeFileSync(join(user, 'program.mjs'), WRITTEN_IN_JS);
  assert.deepEqual(JSON.parse(await run(process.execPath, ['program.mjs'], user)), DONE);
  assert.deepEqual([await sent(), keys.length, new Set(keys).size], [['Hello once'], 3, 1]);
});

for (const isAsync of [false, true])
  it(`Python clients send, list and verify webhooks ${isAsync ? 'with asyncio' : 'without asyncio'}`, {
    timeout: 600_000,
  }, async (t) => {
    const { run, sent, keys } = await aShop(t);
    const more = { PYTHONPATH: join(ROOT, 'scripts/client/python'), PYTHONDONTWRITEBYTECODE: '1' };
    const said = await run('python3', ['-c', inPython(isAsync)], aDirectory(t), more);
    assert.deepEqual(JSON.parse(said), DONE);
    assert.deepEqual([await sent(), keys.length, new Set(keys).size], [['Hello once'], 3, 1]);
  });
