import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { aReceiver } from '../../actors/services/webhooks/receiver.ts';
import { ANNA, aGateway, PHONE } from '../../support/gateway.ts';
import { embedded, type Scope } from '../../support/stores.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const LIBRARY = join(import.meta.dirname, 'node_modules');
const skip = existsSync(join(LIBRARY, 'n8n-workflow')) ? false : 'n8n-workflow is not installed (npm ci in test/scripts/n8n)';
if (skip) console.log(`${skip}: the tests of the n8n nodes are left out.`);

/** The packed package, unpacked where it finds n8n's library. */
function packed(t: Scope) {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ran = (command: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const [{ filename, files }] = JSON.parse(ran('npm', 'pack', '--json', join(ROOT, 'scripts/n8n')));
  ran('tar', 'xzf', filename);
  symlinkSync(LIBRARY, join(folder, 'node_modules'));
  const require = createRequire(join(folder, 'package/index.js'));
  const names: readonly string[] = files.map(({ path }: { path: string }) => path).toSorted();
  return { require, names, manifest: require('./package.json') };
}

type Json = Record<string, unknown>;
type Item = { readonly json: Json; readonly binary?: Json };

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly qs?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly returnFullResponse?: boolean;
  readonly disableFollowRedirect?: boolean;
}

/** The parts of n8n around a node: its HTTP client, parameters, binary data and static data. */
function aroundNode(url: string, key: string, parameters: Json, file: Buffer = Buffer.alloc(0)) {
  const sent: Asked[] = [];
  const data: Json = {};
  const answered: unknown[] = [];
  const response = {
    status(code: number) {
      answered.push(code);
      return response;
    },
    send: () => response,
    end: () => response,
  };
  const context = {
    getInputData: () => [{ json: {} }],
    getNode: () => ({ id: parameters['operation'], name: 'Gateway' }),
    getExecutionId: () => '77',
    evaluateExpression: () => 0,
    continueOnFail: () => parameters['continueOnFail'] === true,
    getCredentials: async () => ({ url: `${url}/`, apiKey: key }),
    getNodeParameter: (name: string, _i?: unknown, other?: unknown) => parameters[name] ?? other,
    getWorkflowStaticData: () => data,
    getNodeWebhookUrl: () => parameters['webhookUrl'],
    getResponseObject: () => response,
    getRequestObject: () => ({ rawBody: parameters['rawBody'] }),
    getHeaderData: () => parameters['headers'],
    helpers: {
      async httpRequestWithAuthentication(_name: string, asked: Asked) {
        sent.push(asked);
        const { method, qs = {}, headers, body } = asked;
        const isBytes = body instanceof Uint8Array;
        const answer = await fetch(`${asked.url}?${new URLSearchParams(qs)}`, {
          method,
          headers: { authorization: `Bearer ${key}`, ...(body && !isBytes ? { 'content-type': 'application/json' } : {}), ...headers },
          ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
        });
        if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
        if (!asked.returnFullResponse) return answer.json();
        return { headers: Object.fromEntries(answer.headers), body: await answer.arrayBuffer() };
      },
      assertBinaryData: () => ({ mimeType: 'image/png', fileName: 'menu.png' }),
      getBinaryDataBuffer: async () => file,
      prepareBinaryData: async (bytes: Buffer, _name: unknown, mimeType: string) => ({ data: bytes.toString('base64'), mimeType }),
      returnJsonArray: (all: readonly Json[]): readonly Item[] => all.map((json) => ({ json })),
    },
  };
  return { context, sent, data, answered };
}

describe('the n8n nodes', { skip }, () => {
  it('are packaged without dependencies or scripts', (t) => {
    const { names, manifest, require } = packed(t);
    const { credentials, nodes } = manifest.n8n;
    const own = [...credentials, ...nodes, 'nodes/operations.generated.json', 'README.md', 'package.json'];
    assert.deepEqual(names, own.toSorted());
    assert.deepEqual([manifest.dependencies, manifest.scripts], [undefined, undefined]);
    for (const file of [...credentials, ...nodes]) {
      const name = file.replace(/.*\/(\w+)\.(node|credentials)\.js/, '$1');
      assert.ok(new (require(`./${file}`)[name])(), file);
    }
  });

  it('show the right fields in n8n for each operation', (t) => {
    const { require } = packed(t);
    const { MessagingGateway } = require('./nodes/MessagingGateway.node.js');
    const { operations } = require('./nodes/operations.generated.json');
    const { NodeHelpers } = require('n8n-workflow');
    const { description } = new MessagingGateway();
    assert.equal(operations.length, 40);
    for (const { id, resource, fields } of operations) {
      const node = { typeVersion: 1, type: 'x', parameters: {} };
      const shown = NodeHelpers.getNodeParameters(description.properties, { resource, operation: id }, true, false, node, description);
      const needed = fields.filter((one: Json) => one['required']).map((one: Json) => one['name']);
      assert.deepEqual(
        needed.filter((name: string) => !(name in shown)),
        [],
        id,
      );
      assert.equal(
        'further' in shown,
        fields.some((one: Json) => !one['required']),
        id,
      );
      assert.equal('binaryField' in shown, id === 'uploadMedia', id);
    }
  });

  it('can send, list, upload and download through a real gateway, and verify its webhooks', async (t) => {
    const { require } = packed(t);
    const { MessagingGateway } = require('./nodes/MessagingGateway.node.js');
    const { MessagingGatewayTrigger } = require('./nodes/MessagingGatewayTrigger.node.js');
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind: embedded, config: { egress_allow: [receiver.place] } });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'n8n' })).body;
    const file = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC', 'base64');
    const run = async (parameters: Json) => {
      const around = aroundNode(gateway.node.url, key, { sessionId: device.id, binaryField: 'data', ...parameters }, file);
      const [items] = await new MessagingGateway().execute.call(around.context);
      return { items, sent: around.sent };
    };

    const trigger = new MessagingGatewayTrigger();
    const webhookUrl = `${receiver.url}/n8n`;
    const around = aroundNode(gateway.node.url, key, { events: ['message.sent'], sessionId: device.id, webhookUrl });
    assert.equal(await trigger.webhookMethods.default.checkExists.call(around.context), false);
    assert.equal(await trigger.webhookMethods.default.create.call(around.context), true);
    assert.equal(await trigger.webhookMethods.default.checkExists.call(around.context), true);

    const text = { operation: 'sendMessage', type: 'text', further: { chat_id: `+${ANNA}`, body: 'Open' } };
    const first = await run(text);
    const again = await run(text);
    assert.equal(first.items[0].json.id, again.items[0].json.id, 'a retry of the same execution is the same message');
    assert.ok(first.sent.every(({ url, disableFollowRedirect }) => url.startsWith(`${gateway.node.url}/v1`) && disableFollowRedirect));

    const picture = await run({ operation: 'sendFile', chat_id: `+${ANNA}`, type: 'image', further: { caption: 'The menu' } });
    assert.equal((await device.message(picture.items[0].json.id)).body, 'The menu');
    const bytes = await run({ operation: 'getMessageMedia', messageId: picture.items[0].json.id });
    assert.equal(bytes.items[0].binary.data.mimeType, 'image/png');

    for (const phone of ['+6281211110005', '+6281211110006', '+6281211110007']) await acme.api('POST', '/v1/contacts', { phone });
    const list = { operation: 'listContacts', further: { limit: 1 } };
    assert.equal((await run(list)).items.length, 1);
    const all = await run({ ...list, returnAll: true });
    assert.ok(all.items.length >= 3 && all.items.every((one: Json) => one['pairedItem']));
    const failed = await run({ operation: 'getMessage', messageId: 'nobody', continueOnFail: true });
    assert.match(failed.items[0].json.error, /404/);
    await assert.rejects(run({ operation: 'getMessage', messageId: 'nobody' }), /404/);

    const delivery = await gateway.until('it is delivered', () => receiver.received[0]);
    const call = async (rawBody: unknown, signature: unknown) => {
      const told = aroundNode(gateway.node.url, key, { rawBody, headers: { 'x-webhook-signature': signature } });
      Object.assign(told.data, around.data);
      return { ...(await trigger.webhook.call(told.context)), answered: told.answered };
    };
    const signature = delivery.headers['x-webhook-signature'];
    const genuine = await call(Buffer.from(delivery.raw), signature);
    assert.equal(genuine.workflowData[0][0].json.type, 'message.sent');
    for (const [raw, signed] of [
      [Buffer.from(`${delivery.raw} `), signature],
      [Buffer.from(delivery.raw), undefined],
      [undefined, signature],
      [delivery.raw, signature],
    ])
      assert.deepEqual(await call(raw, signed), { noWebhookResponse: true, answered: [401] });
    await trigger.webhookMethods.default.delete.call(around.context);
    assert.deepEqual((await acme.api('GET', '/v1/webhooks')).body.webhooks, []);
  });
});
