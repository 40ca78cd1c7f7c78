import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aReceiver } from './receiver.ts';
import { aWebhookFixture } from './webhooks-fixture.ts';

const RECEIVED = ['message.received'];
const MAX_CONCURRENT = 8;
const MANY = 40;

eachStore('an unresponsive endpoint', (kind) => {
  it('gets only a few requests at a time, and does not delay other webhooks', async (t) => {
    const hanging = await aReceiver(t);
    let open = 0;
    let most = 0;
    hanging.answer((response) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => {
        open -= 1;
      });
    });
    const { gateway, receiver, subscribe, write } = await aWebhookFixture(t, kind, { egress_allow: [hanging.place] });
    await subscribe(RECEIVED, hanging.url);
    await subscribe(RECEIVED);
    for (let n = 0; n < MANY; n += 1) write(ANNA, `${n}`);
    const startedAt = gateway.clock.now();
    await gateway.until('the other has all', () => receiver.received.length === MANY);
    assert.ok(gateway.clock.now() - startedAt < 10_000, 'before the first of the hanging ones was given up');
    assert.ok(hanging.received.length <= MAX_CONCURRENT);

    await gateway.until('everything was tried once', () => new Set(hanging.received.map(({ body }) => body.id)).size === MANY);
    assert.equal(most, MAX_CONCURRENT);
  });

  it('gets all pending deliveries as soon as it responds', async (t) => {
    const { gateway, api, receiver, subscribe, write } = await aWebhookFixture(t, kind);
    receiver.answer(() => {});
    const id = await subscribe(RECEIVED);
    for (let n = 0; n < MANY; n += 1) write(ANNA, `${n}`);
    await gateway.until('it hangs', () => receiver.received.length >= MAX_CONCURRENT);
    receiver.answer((response) => response.writeHead(200).end());
    const delivered = async () => (await api('GET', `/v1/webhooks/deliveries?webhook_id=${id}&status=delivered&limit=200`)).body.deliveries;
    await gateway.until('all are there', async () => (await delivered()).length === MANY);
    const bodies = new Set(receiver.received.map(({ body }) => body.data.body));
    assert.equal(bodies.size, MANY);
  });
});
