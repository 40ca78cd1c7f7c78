import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Store } from '../../../../store/port.ts';
import { webhooksIn } from '../../../../store/webhooks/webhooks.ts';
import { ANNA } from '../../../support/gateway.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { answering } from './receiver.ts';
import { aWebhookFixture } from './webhooks-fixture.ts';

const RECEIVED = ['message.received'];
const OVER = [['failed', 'webhook_removed']];

eachStore('a deleted webhook', (kind) => {
  it('leaves no pending delivery behind if it is deleted while deliveries are being created', async (t) => {
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

  it('has its pending deliveries fail when an interrupted deletion is repeated', async (t) => {
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
