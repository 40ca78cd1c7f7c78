import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFormsOf } from '../../../../../actors/services/identities/forms.ts';
import { createRetaining, type Retaining } from '../../../../../actors/services/privacy/retention/retention.ts';
import { newDelivery } from '../../../../../actors/services/webhooks/new-delivery.ts';
import { auditLogIn } from '../../../../../store/audit/audit-log.ts';
import { devicesIn } from '../../../../../store/devices/devices.ts';
import { identitiesIn } from '../../../../../store/identities/identities.ts';
import { mediaIn } from '../../../../../store/media/media.ts';
import type { Collection, Doc, Store } from '../../../../../store/port.ts';
import { holdsIn } from '../../../../../store/privacy/holds.ts';
import { retentionIn } from '../../../../../store/privacy/retention.ts';
import { storeLinksIn } from '../../../../../store/store-links/links.ts';
import { type DeliveryRow, deliveriesIn } from '../../../../../store/webhooks/deliveries.ts';
import { aGateway } from '../../../../support/gateway.ts';
import { interruptedStore } from '../../../../support/interrupted-store.ts';
import { eachStore } from '../../../../support/stores.ts';

import { remembering } from '../erasure-fixture.ts';
import { timerless } from '../jobs-fixture.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const withoutStepUp = (): void => {};
const DORA = '6281244440004';
type Row = Doc & Readonly<Record<string, unknown>>;

const rowsOf = (store: Store, name: string) => store.collection<Row>({ name, indexes: [] });

/** One process's. `erased`: the files that it erases. */
function retainingOn(store: Store, names: Iterable<string> = [], erased: string[] = []): Retaining {
  const collections = new Map<string, Collection<Doc>>([...names].map((name) => [name, store.collection({ name, indexes: [] })]));
  return createRetaining({
    retention: retentionIn(store),
    holds: holdsIn(store),
    formsOf: createFormsOf(identitiesIn(store)),
    devices: devicesIn(store),
    links: storeLinksIn(store),
    mediaRows: mediaIn(store),
    media: { erase: async (_tenantId, key) => erased.push(key) > 0, giveBack: async () => {} },
    auditLog: auditLogIn(store, Buffer.alloc(32)),
    audit: { record: async () => {} },
    collections,
    clock: timerless(() => NOW),
    hashOf: (tenantId, phone) => `${tenantId}-${phone}`,
    failed: (cause) => {
      throw cause;
    },
  });
}

eachStore('a retention run', (kind) => {
  it('keeps its claim even if the settings are changed at the same moment', async (t) => {
    const store = await kind.fresh(t);
    const retention = retentionIn(store);
    const begun = retainingOn(store);
    await store.prepare();
    await begun.change('shop', { messages: 30 }, NOW, withoutStepUp);
    const claimed = NOW + 2 * DAY;
    const claim = () => retention.claim('shop', claimed, claimed + 60_000);
    const other = retainingOn(interruptedStore(store, { name: 'privacy_retention', reading: 'findOne' }, claim));
    await other.change('shop', { messages: 60 }, claimed, withoutStepUp);
    assert.equal(await retention.claim('shop', claimed + 1, claimed + 2), null, 'somebody works on it');
    assert.deepEqual((await begun.settings('shop', claimed)).retention_days.messages, 60);
  });

  it('keeps a file that something added during the run needs', async (t) => {
    const remembered = remembering(kind);
    const { store } = await aGateway(t, { kind: remembered.kind });
    await rowsOf(store, 'devices').insertOne({ _id: 'd', tenant_id: 'shop', created_at: 1 });
    for (const _id of ['med_needed', 'med_old'])
      await rowsOf(store, 'media').insertOne({ _id, tenant_id: 'shop', created_at: 1, chat_id: null });
    await retainingOn(store).change('shop', { media: 30 }, NOW, withoutStepUp);
    const need = () => rowsOf(store, 'templates').insertOne({ _id: 't', tenant_id: 'shop', media_r2_key: 'med_needed' });
    const interrupted = interruptedStore(store, { name: 'media', reading: 'find' }, need);
    const erased: string[] = [];
    await retainingOn(interrupted, remembered.opened.keys(), erased).runDue(NOW + 2 * DAY);
    assert.deepEqual(erased, ['med_old']);
  });

  it('respects a longer period that is set during the run', async (t) => {
    const remembered = remembering(kind);
    const { store } = await aGateway(t, { kind: remembered.kind });
    await rowsOf(store, 'devices').insertOne({ _id: 'd', tenant_id: 'shop', created_at: 1 });
    const message = { session_id: 'd', direction: 'outbound', status: 'read', outbox_pending: false, message_type: 'text', created_at: 1 };
    await rowsOf(store, 'messages').insertOne({ ...message, _id: 'old', net_id: 'n1', chat_id: `${DORA}@s.whatsapp.net` });
    await retainingOn(store).change('shop', { messages: 30 }, NOW, withoutStepUp);
    const longer = () => retainingOn(store).change('shop', { messages: 0 }, NOW + 2 * DAY, withoutStepUp);
    const interrupted = interruptedStore(store, { name: 'messages', reading: 'find' }, longer);
    await retainingOn(interrupted, remembered.opened.keys()).runDue(NOW + 2 * DAY);
    assert.ok(await rowsOf(store, 'messages').findOne({ _id: 'old' }), 'the message is kept');
  });

  it('keeps data that is put under a hold during the run', async (t) => {
    const remembered = remembering(kind);
    const { store } = await aGateway(t, { kind: remembered.kind });
    await rowsOf(store, 'devices').insertOne({ _id: 'd', tenant_id: 'shop', created_at: 1 });
    const message = { session_id: 'd', direction: 'outbound', status: 'read', outbox_pending: false, message_type: 'text', created_at: 1 };
    await rowsOf(store, 'messages').insertMany([
      { ...message, _id: 'hers', net_id: 'n1', chat_id: `${DORA}@s.whatsapp.net` },
      { ...message, _id: 'another’s', net_id: 'n2', chat_id: '6281255550005@s.whatsapp.net' },
    ]);
    await retainingOn(store).change('shop', { messages: 30 }, NOW, withoutStepUp);
    const hold = () => holdsIn(store).put('shop', `shop-${DORA}`, { reason: 'a claim', until: NOW + 100 * DAY }, NOW);
    const interrupted = interruptedStore(store, { name: 'messages', reading: 'find' }, hold);
    await retainingOn(interrupted, remembered.opened.keys()).runDue(NOW + 2 * DAY);
    assert.equal(await rowsOf(store, 'messages').findOne({ _id: 'another’s' }), null);
    assert.ok(await rowsOf(store, 'messages').findOne({ _id: 'hers' }), 'hers is kept');
  });

  it('keeps a webhook delivery that is requested again during the run', async (t) => {
    const remembered = remembering(kind);
    const { store } = await aGateway(t, { kind: remembered.kind });
    const deliveries = deliveriesIn(store);
    const aDelivery = (event_id: string): DeliveryRow => ({
      ...newDelivery(
        { _id: 'hook', tenant_id: 'shop' },
        { event_id, event: 'message.sent', body: '{}' },
        { isAsked: false, epoch: 0, now: DAY },
      ),
      ...{ status: 'failed', expires_at: NOW + 100 * DAY },
    });
    const [again, old] = [aDelivery('again'), aDelivery('old')];
    await deliveries.add([again, old]);
    await retainingOn(store).change('shop', { webhooks: 30 }, NOW, withoutStepUp);
    const ask = () => deliveries.again(again, NOW + 2 * DAY, NOW + 100 * DAY);
    const interrupted = interruptedStore(store, { name: 'deliveries', reading: 'find' }, ask);
    await retainingOn(interrupted, remembered.opened.keys()).runDue(NOW + 2 * DAY);
    assert.equal(await deliveries.find('shop', old._id), null);
    assert.equal((await deliveries.find('shop', again._id))?.status, 'pending');
  });
});
