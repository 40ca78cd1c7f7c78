import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRecount } from '../../../../actors/services/analytics/recount.ts';
import { bucketAt } from '../../../../store/analytics/bucket-row.ts';
import { bucketsIn } from '../../../../store/analytics/buckets.ts';
import { type CountedMessage, type CountedMessages, countedMessagesIn } from '../../../../store/analytics/counted-messages.ts';
import { campaignMessagesIn } from '../../../../store/campaigns/campaign-messages.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';
import { messagesSpec } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const STILL = { now: () => 0 };
const AT = bucketAt(Date.UTC(2026, 5, 1));

/** One of an empty log. `counted` counts it, and gives how many were sent and read. */
async function aBucket(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const buckets = bucketsIn(store);
  const rows = store.collection<MessageRow>(messagesSpec);
  const recount = createRecount({ buckets, countedMessages: countedMessagesIn(store), clock: STILL, chatKey: (_tenant, chat) => chat });
  await store.prepare();
  const counted = async (now: number) => {
    await buckets.mark([{ tenantId: 't', sessionId: 's', at: AT }], now);
    await recount.continueAll(now);
    for await (const { figures, dirty_at } of buckets.between('t', AT, AT + 1)) return [figures?.sent, figures?.read, dirty_at];
    return [];
  };
  return { store, rows, counted };
}

eachStore('a recount of a time bucket', (kind) => {
  it('keeps the previous counts after messages have been removed', async (t) => {
    const { counted, rows } = await aBucket(t, kind);
    await rows.insertMany([
      aMessageRow({ _id: 'a', created_at: AT, status: 'sent' }),
      aMessageRow({ _id: 'b', created_at: AT + 1, status: 'sent' }),
    ]);
    assert.deepEqual(await counted(1), [2, 0, null]);
    await rows.updateOne({ _id: 'a' }, { $set: { status: 'read' } });
    assert.deepEqual(await counted(2), [2, 1, null]);
    await rows.deleteOne({ _id: 'a' });
    assert.deepEqual(await counted(3), [2, 1, null]);
  });

  it('counts the remaining messages after a campaign has withdrawn its unsent ones', async (t) => {
    const { counted, rows, store } = await aBucket(t, kind);
    const campaign = campaignMessagesIn(store);
    const waiting = ['b', 'c', 'd'].map((_id, nth) => aMessageRow({ _id, created_at: AT + nth, blast_id: 'blast' }));
    await campaign.accept([aMessageRow({ _id: 'a', created_at: AT, status: 'sent', blast_id: 'blast' }), ...waiting]);
    await rows.updateOne({ _id: 'd' }, { $set: { status: 'sending' } });
    assert.deepEqual(await counted(1), [1, 0, null]);
    await rows.updateOne({ _id: 'd' }, { $set: { status: 'queued' } });
    await campaign.withdraw(['b', 'c', 'd']);
    await rows.updateOne({ _id: 'a' }, { $set: { status: 'read' } });
    assert.deepEqual(await counted(2), [1, 1, null]);
  });
});

eachStore('two concurrent recounts on different nodes', (kind) => {
  it('keep the figures of the more recent count, whichever node writes last', async (t) => {
    const store = await kind.fresh(t);
    const buckets = bucketsIn(store);
    const rows = store.collection<MessageRow>(messagesSpec);
    const messages = countedMessagesIn(store);
    const node = (countedMessages: CountedMessages) =>
      createRecount({ buckets, countedMessages, clock: STILL, chatKey: (_tenant, chat) => chat });
    const [hasRead, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = node({
      ...messages,
      async *inBucket(sessionId, at) {
        const found: CountedMessage[] = [];
        for await (const message of messages.inBucket(sessionId, at)) found.push(message);
        hasRead.resolve();
        await mayEnd.promise;
        yield* found;
      },
    });
    const quick = node(messages);
    await store.prepare();
    const mark = (now: number) => buckets.mark([{ tenantId: 't', sessionId: 's', at: AT }], now);
    await rows.insertOne(aMessageRow({ _id: 'a', created_at: AT, status: 'sent' }));
    await mark(1);
    const counting = slow.continueAll(1);
    await hasRead.promise;
    await rows.insertOne(aMessageRow({ _id: 'b', created_at: AT + 1, status: 'sent' }));
    await mark(2);
    await quick.continueAll(2);
    mayEnd.resolve();
    await counting;
    await quick.continueAll(3);
    for await (const { figures, dirty_at } of buckets.between('t', AT, AT + 1)) assert.deepEqual([figures?.sent, dirty_at], [2, null]);
  });
});
