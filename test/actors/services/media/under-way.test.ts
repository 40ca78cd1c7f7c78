import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aFileServer } from './file-server.ts';
import { PNG } from './files.ts';

const SECOND = 1_000;
const KEY = { 'idempotency-key': 'order-7' };

/** Somebody else's web server that answers when the test says so, and a linked device. */
async function aSlowShop(scope: Scope, kind: StoreKind) {
  const waiting: ServerResponse[] = [];
  const server = await aFileServer(scope, (_path, response) => waiting.push(response));
  const gateway = await aGateway(scope, { kind, config: { egress_allow_reads: [server.place] } });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const downloads = (count: number) => gateway.until(`${count} downloads began`, async () => waiting.length === count);
  const log = async () => (await acme.api('GET', `${device.path}/messages`)).body.messages;
  const files = async () => (await acme.api('GET', '/v1/media')).body.media.map(({ key }: { key: string }) => key);
  const order = { chat_id: ANNA, type: 'image', url: `${server.url}/menu.png` };
  return { gateway, server, device, acme, order, waiting, downloads, log, files };
}

const isGone = (response: ServerResponse): void => void response.writeHead(404).end();

eachStore('a send whose file is still being downloaded', (kind) => {
  it('rejects a second call with the same Idempotency-Key until it is done', async (t) => {
    const { server, device, acme, order, waiting, downloads, log } = await aSlowShop(t, kind);
    const send = (body: object) => acme.api('POST', `${device.path}/messages`, body, KEY);
    const first = send(order);
    await downloads(1);
    const second = await send(order);
    assert.deepEqual([second.status, second.body.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    assert.equal((await send({ ...order, caption: 'Menu' })).body.code, 'IDEMPOTENCY_KEY_REUSED');

    waiting[0]!.end(PNG);
    const { status, body } = await first;
    assert.equal(status, 202);
    assert.deepEqual((await send(order)).body, { id: body.id, status: 'queued', wa_message_id: null, idempotent_replay: true });
    assert.deepEqual([(await log()).length, server.asked.length], [1, 1]);
  });

  it('happens once, even if a second call after 12 seconds is rejected', async (t) => {
    const { gateway, device, acme, order, waiting, downloads, log } = await aSlowShop(t, kind);
    const send = () => acme.api('POST', `${device.path}/messages`, order, KEY);
    const first = send();
    await downloads(1);
    await gateway.clock.advance(12 * SECOND);
    const second = send();
    await downloads(2);
    isGone(waiting[1]!);
    assert.equal((await second).body.code, 'VALIDATION_FAILED');
    waiting[0]!.end(PNG);
    const { id } = (await first).body;
    assert.deepEqual((await send()).body, { id, status: 'queued', wa_message_id: null, idempotent_replay: true });
    assert.equal((await log()).length, 1);
  });

  for (const [which, slower] of [
    ['first', 0],
    ['second', 1],
  ] as const)
    it(`returns its results to a repeated bulk call, even if the ${which} of two calls was rejected in between`, async (t) => {
      const { gateway, device, acme, order, waiting, downloads, log } = await aSlowShop(t, kind);
      const send = () => acme.api('POST', `${device.path}/messages/bulk`, { messages: [order] }, KEY);
      const calls = [send()];
      await downloads(1);
      await gateway.clock.advance(12 * SECOND);
      calls.push(send());
      await downloads(2);
      waiting[1 - slower]!.end(PNG);
      const { id } = (await calls[1 - slower]!).body.results[0];
      isGone(waiting[slower]!);
      assert.equal((await calls[slower]!).body.results[0].code, 'VALIDATION_FAILED');
      await gateway.clock.advance(12 * SECOND);
      assert.deepEqual((await send()).body.results, [{ id, status: 'queued', wa_message_id: null, idempotent_replay: true }]);
      assert.equal((await log()).length, 1);
    });

  it('creates one message and one file, even if two calls with the same key finish', async (t) => {
    const { gateway, device, acme, order, waiting, downloads, files } = await aSlowShop(t, kind);
    const send = (key: string) => acme.api('POST', `${device.path}/messages`, order, { 'idempotency-key': key });
    for (const [key, slower] of [
      ['order-8', 0],
      ['order-9', 1],
    ] as const) {
      const before: readonly string[] = await files();
      const began = waiting.length;
      const calls = [send(key)];
      await downloads(began + 1);
      await gateway.clock.advance(12 * SECOND);
      calls.push(send(key));
      await downloads(began + 2);
      waiting[began + 1 - slower]!.end(PNG);
      const { id } = (await calls[1 - slower]!).body;
      waiting[began + slower]!.end(PNG);
      const { status, body } = await calls[slower]!;
      assert.deepEqual([status, body.id], [202, id]);
      const { media_r2_key } = await device.message(id);
      assert.deepEqual(await files(), [media_r2_key, ...before]);
    }
  });

  it('is scheduled only once, even if two calls with the same key finish', async (t) => {
    const { gateway, device, acme, order, waiting, downloads, files } = await aSlowShop(t, kind);
    const later = { ...order, scheduled_at: gateway.clock.now() + 3_600 * SECOND };
    const send = () => acme.api('POST', `${device.path}/scheduled`, later, KEY);
    const first = send();
    await downloads(1);
    await gateway.clock.advance(12 * SECOND);
    const second = send();
    await downloads(2);
    for (const response of waiting) response.end(PNG);
    const answers = [await first, await second, await send()];
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.id]),
      answers.map(() => [201, answers[0]!.body.id]),
    );
    const { scheduled } = (await acme.api('GET', `${device.path}/scheduled`)).body;
    assert.deepEqual(
      scheduled.map(({ media_r2_key }: { media_r2_key: string }) => media_r2_key),
      await files(),
    );
  });

  it('uses only one device of a rotator, even if that device is offline when the call is repeated', async (t) => {
    const { gateway, device, acme, order, waiting, downloads } = await aSlowShop(t, kind);
    const other = await acme.linked('6281299990001');
    const { id } = (await acme.api('POST', '/v1/rotators', { name: 'Desks', session_ids: [device.id, other.id] })).body;
    const send = () => acme.api('POST', `/v1/rotators/${id}/messages`, { ...order, connect_only: false }, KEY);
    const first = send();
    await downloads(1);
    await acme.api('POST', `${device.path}/disconnect`);
    await gateway.until('it is offline', async () => (await acme.api('GET', device.path)).body.status !== 'connected');
    await gateway.clock.advance(12 * SECOND);
    const second = send();
    await downloads(2);
    waiting[0]!.end(PNG);
    const sent = (await first).body;
    assert.equal(sent.session_id, device.id);
    waiting[1]!.end(PNG);
    const replay = { ...sent, idempotent_replay: true };
    const { body: again } = await second;
    assert.deepEqual([again.id, again.session_id], [sent.id, device.id]);
    assert.deepEqual((await send()).body, replay);
  });
});
