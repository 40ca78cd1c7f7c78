import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aFileServer } from './file-server.ts';
import { PNG } from './files.ts';

eachStore('a send whose file is still being downloaded', (kind) => {
  it('refuses a second one with its Idempotency-Key, and is what a third one gets', async (t) => {
    const waiting: ServerResponse[] = [];
    const server = await aFileServer(t, (_path, response) => waiting.push(response));
    const gateway = await aGateway(t, { kind, config: { egress_allow: [server.place] } });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const order = { chat_id: ANNA, type: 'image', url: `${server.url}/menu.png` };
    const send = (body: object) => acme.api('POST', `${device.path}/messages`, body, { 'idempotency-key': 'order-7' });

    const first = send(order);
    await gateway.until('the download began', () => waiting.length === 1);
    const second = await send(order);
    assert.deepEqual([second.status, second.body.code], [409, 'CONFLICT']);
    assert.equal((await send({ ...order, caption: 'Menu' })).body.code, 'IDEMPOTENCY_KEY_REUSED');

    waiting[0]!.end(PNG);
    const { status, body } = await first;
    assert.equal(status, 202);
    assert.deepEqual((await send(order)).body, { id: body.id, status: 'queued', idempotent_replay: true });
    assert.deepEqual([(await acme.api('GET', `${device.path}/messages`)).body.messages.length, server.asked.length], [1, 1]);
  });
});
