import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forgetWebhooks } from '../../../../actors/services/webhooks/removal.ts';
import type { Store } from '../../../../store/port.ts';
import { deliveriesIn } from '../../../../store/webhooks/deliveries.ts';
import { webhooksIn } from '../../../../store/webhooks/webhooks.ts';
import { ANNA } from '../../../support/gateway.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { answering, SECRET } from './receiver.ts';
import { aWebhookFixture } from './webhooks-fixture.ts';

const RECEIVED = ['message.received'];
const OVER = [['failed', 'webhook_removed']];

eachStore('a deleted webhook', (kind) => {
  it('leaves no pending deliveries, even if some were being created during the deletion', async (t) => {
    let isAsked = false;
    let remove = async (): Promise<void> => {};
    const fresh = async (scope: Scope): Promise<Store> =>
      interruptedStore(await kind.fresh(scope), { name: 'events', reading: 'find', when: () => isAsked }, () => remove());
    const { gateway, api, receiver, subscribe, write } = await aWebhookFixture(t, { name: kind.name, fresh } satisfies StoreKind);
    receiver.answer(answering(500));
    const id = await subscribe(RECEIVED);
    remove = async () => void (await api('DELETE', `/v1/webhooks/${id}`));
    isAsked = true;
    write(ANNA, 'hello');
    const shown = async () => (await api('GET', `/v1/webhooks/deliveries?webhook_id=${id}`)).body.deliveries;
    await gateway.until('there is a delivery', async () => (await shown()).length > 0);
    await gateway.until('none waits', async () => (await shown()).every(({ status }: { status: string }) => status !== 'pending'));
    assert.deepEqual(
      (await shown()).map(({ status, error }: { status: string; error: string }) => [status, error]),
      OVER,
    );
  });

  it('leaves no pending deliveries after an interrupted deletion is repeated', async (t) => {
    const { gateway, acme, api, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    receiver.answer(answering(500));
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    await gateway.until('it waits for a retry', async () => (await delivery(id))?.attempt === 1);
    assert.ok(await webhooksIn(gateway.store).remove(acme.id, id));
    assert.equal((await api('DELETE', `/v1/webhooks/${id}`)).status, 404);
    const { status, error } = await delivery(id);
    assert.deepEqual([[status, error]], OVER);
  });
});

eachStore('the webhooks of a deleted device', (kind) => {
  it('receive its last events, and are then deleted with their pending deliveries, even after a crash', async (t) => {
    const { gateway, acme, api, device, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    const events = ['message.received', 'session.disconnected'];
    const bound = (await api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events, session_id: device.id })).body.id;
    const general = await subscribe(RECEIVED);
    receiver.answer(answering(500));
    write(ANNA, 'hello');
    await gateway.until(
      'both wait for a retry',
      async () => (await delivery(bound))?.attempt === 1 && (await delivery(general))?.attempt === 1,
    );
    assert.equal((await api('DELETE', `/v1/sessions/${device.id}`)).status, 200);
    await gateway.until('it is told of the end', async () => (await delivery(bound))?.event === 'session.disconnected');
    assert.equal((await api('GET', '/v1/webhooks')).body.webhooks.length, 2);

    // The process dies after the deliveries have failed, and after the webhook is removed.
    const [webhooks, deliveries] = [webhooksIn(gateway.store), deliveriesIn(gateway.store)];
    const dead = { list: webhooks.list, remove: () => Promise.reject(new Error('killed')) };
    const deps = { deliveries, wakeups: { put: async () => {} }, tenantHints: { webhookChanged: () => {} } };
    await assert.rejects(forgetWebhooks({ ...deps, webhooks: dead }, acme.id, device.id, gateway.clock.now()), /killed/);
    const shown = async () =>
      (await api('GET', `/v1/webhooks/deliveries?webhook_id=${bound}`)).body.deliveries.map((row: { status: string; error: string }) => [
        row.status,
        row.error,
      ]);
    assert.deepEqual(await shown(), [...OVER, ...OVER]);

    await gateway.clock.advance(300_000);
    await gateway.until('it is gone', async () => (await api('GET', '/v1/webhooks')).body.webhooks.length === 1);
    assert.equal((await api('GET', `/v1/webhooks/${general}`)).status, 200);
    assert.deepEqual(await shown(), [...OVER, ...OVER]);
    assert.notEqual((await delivery(general)).error, 'webhook_removed');
  });
});
