import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { answering } from './receiver.ts';
import { aWebhookFixture, fixtureOf } from './webhooks-fixture.ts';

const RECEIVED = ['message.received'];

eachStore('a webhook', (kind) => {
  it('keeps events while it is paused, and receives them when it is resumed', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const id = await fixture.subscribe(RECEIVED);
    const { body: paused } = await fixture.api('PATCH', `/v1/webhooks/${id}`, { paused: true });
    assert.equal(paused.disabled_at, fixture.gateway.clock.now());
    fixture.write(ANNA, 'while paused');
    await fixture.gateway.clock.advance(10 * 60_000);
    const { gateway, api, receiver, write, delivery } = fixtureOf(
      await fixture.gateway.crash(),
      fixture.acme,
      fixture.device,
      fixture.receiver,
    );
    await gateway.clock.advance(10 * 60_000);
    assert.equal(receiver.received.length, 0);
    assert.equal((await delivery(id)).status, 'pending');

    assert.equal((await api('PATCH', `/v1/webhooks/${id}`, { paused: false })).body.disabled_at, null);
    await gateway.until('it is told', () => receiver.received.length === 1);
    write(ANNA, 'afterwards');
    await gateway.until('both are told', () => receiver.received.length === 2);
    assert.deepEqual(
      receiver.received.map(({ body }) => body.data.body),
      ['while paused', 'afterwards'],
    );
  });

  it('can be tested, whichever events it subscribes to', async (t) => {
    const { gateway, api, receiver, subscribe, delivery } = await aWebhookFixture(t, kind);
    const id = await subscribe(RECEIVED);
    const { status, body } = await api('POST', `/v1/webhooks/${id}/test`);
    assert.equal(status, 202);
    await gateway.until('it came', () => receiver.received.length === 1);
    const [test] = receiver.of('webhook.test');
    assert.deepEqual(test?.body.data, { webhook_id: id, message: 'Ini uji coba: webhook berfungsi' }, 'in the language of the business');
    const shown = await gateway.until('it is delivered', async () => {
      const one = await delivery(id);
      return one.status === 'delivered' && one;
    });
    assert.deepEqual([shown.id, shown.event_id, shown.event], [body.delivery_id, test?.body.id, 'webhook.test']);
    await api('POST', `/v1/webhooks/${id}/test`, undefined, { 'x-lang': 'en' });
    await gateway.until('it came in English', () =>
      receiver.of('webhook.test').some(({ body: sent }) => sent.data.message === 'This is a test: the webhook works'),
    );
    await api('PATCH', `/v1/webhooks/${id}`, { paused: true });
    assert.equal((await api('POST', `/v1/webhooks/${id}/test`)).body.code, 'CONFLICT');
  });

  it('receives an event again on request, under the same event id', async (t) => {
    const { gateway, api, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    receiver.answer(answering(500));
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    const first = await gateway.until('the first try failed', async () => {
      const one = await delivery(id);
      return one?.attempt === 1 && one;
    });
    const again = () => api('POST', `/v1/webhooks/deliveries/${first.id}/redeliver`);
    assert.equal((await again()).status, 202, 'it need not wait for its retry');
    await gateway.until('the second try failed', async () => (await delivery(id)).attempt === 2);
    receiver.answer(answering(200));
    const replay = (since: number) => api('POST', '/v1/webhooks/deliveries/replay', { webhook_id: id, since });
    const inSeconds = await replay(Math.floor(first.created_at / 1_000));
    assert.equal(inSeconds.status, 400);
    assert.match(inSeconds.body.error, /since must be a time in milliseconds/);
    assert.deepEqual((await replay(gateway.clock.now() + 1)).body, { count: 0 });
    assert.deepEqual((await replay(first.created_at)).body, { count: 1 });
    await gateway.until('it is delivered', async () => (await delivery(id)).status === 'delivered');
    assert.deepEqual((await replay(first.created_at)).body, { count: 0 });

    const { status, body } = await again();
    assert.deepEqual([status, body.delivery_id === first.id], [202, true]);
    await gateway.until('it came again', () => receiver.received.length === 4);
    await gateway.until('that is noted', async () => (await delivery(id)).attempt === 4);
    const tries = (await delivery(id)).attempts;
    assert.deepEqual(
      tries.map(({ response_status, error }: { response_status: number; error: string | null }) => [response_status, error]),
      [500, 500, 200, 200].map((code) => [code, code === 500 ? 'status_500' : null]),
    );
    for (const { at, duration_ms, body: said } of tries) assert.ok(at > 0 && duration_ms >= 0 && typeof said === 'string');
    assert.equal(new Set(receiver.received.map(({ raw }) => raw)).size, 1);
    const { deliveries } = (await api('GET', `/v1/webhooks/deliveries?webhook_id=${id}`)).body;
    assert.deepEqual([...new Set(deliveries.map(({ event_id }: { event_id: string }) => event_id))].length, 1);
    assert.equal(deliveries.length, 1);
  });

  it('receives nothing after it is removed, and its pending deliveries fail', async (t) => {
    const { gateway, api, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    receiver.answer(answering(500));
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    await gateway.until('the first try failed', async () => (await delivery(id))?.attempt === 1);
    await api('DELETE', `/v1/webhooks/${id}`);
    const { status, error } = await delivery(id);
    assert.deepEqual([status, error], ['failed', 'webhook_removed']);
    await gateway.clock.advance(60 * 60_000);
    assert.equal(receiver.received.length, 1);
  });

  it('has its deliveries listed in pages, newest first', async (t) => {
    const { gateway, api, receiver, subscribe, write } = await aWebhookFixture(t, kind);
    const id = await subscribe(RECEIVED);
    for (let n = 0; n < 5; n += 1) {
      write(ANNA, `${n}`);
      await gateway.until('it came', () => receiver.received.length === n + 1);
    }
    await gateway.clock.advance(1_000);
    const seen: string[] = [];
    for (let query: string | null = ''; query !== null; ) {
      const { body } = await api('GET', `/v1/webhooks/deliveries?status=delivered&webhook_id=${id}&limit=2${query}`);
      seen.push(...body.deliveries.map(({ event_id }: { event_id: string }) => event_id));
      query = body.next_before === null ? null : `&before=${body.next_before}&before_id=${body.next_before_id}`;
    }
    assert.deepEqual(seen, receiver.received.map(({ body }) => body.id).toReversed());
    assert.equal((await api('GET', '/v1/webhooks/deliveries?colour=red')).body.code, 'VALIDATION_FAILED');
  });
});
