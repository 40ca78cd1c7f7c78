import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, embedded } from '../../../support/stores.ts';
import { aFileServer } from './file-server.ts';
import { PNG } from './files.ts';

/** Number of files by `url` that a tenant may download at a time, and of those that may wait. */
const [AT_ONCE, WAITING] = [8, 56];
const MANY = 70;
const KEY = { 'idempotency-key': 'newsletter' };

const codesIn = (results: readonly { readonly id?: string; readonly code?: string }[]): readonly string[] =>
  results.map(({ id, code }) => code ?? (id ? 'sent' : 'nothing'));

it('a bulk send with files by URL sends all its messages on an idle node', async (t) => {
  const server = await aFileServer(t, (_path, response) => response.end(PNG));
  const gateway = await aGateway(t, { kind: embedded, config: { egress_allow_reads: [server.place] } });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const messages = Array.from({ length: MANY }, (_, nth) => ({
    chat_id: `62812111100${10 + nth}`,
    type: 'image',
    url: `${server.url}/${nth}`,
  }));
  const { body } = await acme.api('POST', `${device.path}/messages/bulk`, { messages });
  assert.deepEqual(
    codesIn(body.results),
    Array.from({ length: MANY }, () => 'sent'),
  );
});

eachStore('a bulk send that is partly rejected for lack of capacity', (kind) => {
  it('sends only the rejected part when repeated with its Idempotency-Key', async (t) => {
    const waiting: ServerResponse[] = [];
    const server = await aFileServer(t, (_path, response) => waiting.push(response));
    const gateway = await aGateway(t, { kind, config: { egress_allow_reads: [server.place] } });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const image = { chat_id: ANNA, type: 'image', url: `${server.url}/menu.png` };
    const singles = Array.from({ length: AT_ONCE + WAITING }, () => acme.api('POST', `${device.path}/messages`, image));
    await gateway.until('as many are downloaded as may be', () => waiting.length === AT_ONCE);
    const messages = [{ chat_id: ANNA, type: 'text', body: 'Hello' }, image, { chat_id: 'nobody', type: 'text', body: 'x' }];
    const send = () => acme.api('POST', `${device.path}/messages/bulk`, { messages }, KEY);
    const first = (await send()).body.results;
    assert.deepEqual(codesIn(first), ['sent', 'OVERLOADED', 'INVALID_NUMBER']);
    for (let nth = 0; nth < singles.length; nth += 1) {
      await gateway.until('the next one is downloaded', () => waiting.length > nth);
      waiting[nth]?.end(PNG);
    }
    await Promise.all(singles);

    const again = send();
    await gateway.until('what was left is downloaded', () => waiting.length > singles.length);
    waiting.at(-1)?.end(PNG);
    const second = (await again).body.results;
    assert.deepEqual(codesIn(second), ['sent', 'sent', 'INVALID_NUMBER']);
    assert.equal(second[0].id, first[0].id);
    const third = (await send()).body.results;
    assert.deepEqual([third[0].id, third[1].id], [second[0].id, second[1].id]);
    const log = (await acme.api('GET', `${device.path}/messages?limit=100`)).body.messages;
    assert.equal(log.length, singles.length + 2);
  });
});
