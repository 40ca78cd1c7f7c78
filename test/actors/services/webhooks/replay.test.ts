import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KEPT_MS, newDelivery } from '../../../../actors/services/webhooks/new-delivery.ts';
import { replaySince } from '../../../../actors/services/webhooks/replay.ts';
import { type DeliveryRow, deliveriesIn } from '../../../../store/webhooks/deliveries.ts';
import { eachStore } from '../../../support/stores.ts';

const WEBHOOK = { _id: 'hook', tenant_id: 'acme' };
const NOW = Date.UTC(2026, 0, 1);
const LATER = NOW + 60_000;

const aDelivery = (event_id: string, over: Partial<DeliveryRow>): DeliveryRow => ({
  ...newDelivery(WEBHOOK, { event_id, event: 'message.sent', body: '{}' }, { isAsked: false, epoch: 1, now: NOW }),
  ...over,
});

eachStore('a replay of failed deliveries', (kind) => {
  it('retries all failed and waiting deliveries immediately, and leaves those already due unchanged', async (t) => {
    const store = await kind.fresh(t);
    const deliveries = deliveriesIn(store);
    await store.prepare();
    const failed = aDelivery('failed', { status: 'failed', error: 'status_500', attempt: 5, next_attempt_at: null });
    const waits = aDelivery('waits', { error: 'timeout', attempt: 2, next_attempt_at: LATER + 1 });
    const due = aDelivery('due', { error: 'timeout', attempt: 1, next_attempt_at: LATER });
    const lastTime = aDelivery('last time', { error: 'timeout', attempt: 4, next_attempt_at: NOW });
    await deliveries.add([failed, waits, due, lastTime]);
    assert.equal(await replaySince(deliveries, WEBHOOK, { since: NOW, now: LATER, wake: async () => {} }), 4);
    const after = await Promise.all([failed, waits, due, lastTime].map(({ _id }) => deliveries.find(WEBHOOK.tenant_id, _id)));
    const again = { status: 'pending', next_attempt_at: LATER, expires_at: LATER + KEPT_MS };
    assert.deepEqual(after, [
      { ...failed, ...again, asked_after: 5 },
      { ...waits, ...again, asked_after: 0 },
      due,
      { ...lastTime, ...again, asked_after: 0 },
    ]);
  });
});
