import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type MessageRow, messagesIn, messagesSpec } from '../../../store/messaging/messages.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachStore } from '../../support/stores.ts';

const OWNER = { tenantId: 't', sessionId: 's', epoch: 1 };

eachStore('outbox records whose side effects have been stored', (kind) => {
  it('are cleared unless they have changed in the meantime', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    await store.prepare();
    const own = { tenant_id: 't', session_id: 's', outbox_pending: true, rev: 2, created_at: 1 };
    const rows = ['a', 'b', 'c', 'd'].map((_id) =>
      aMessageRow({ ...own, _id, net_id: _id, sent_at: 1, delivered_at: _id === 'c' ? 2 : null }),
    );
    const collection = store.collection<MessageRow>(messagesSpec);
    await collection.insertMany(rows);
    const read = await Array.fromAsync(messages.withOutbox(OWNER, 10));
    await collection.updateOne({ _id: 'b' }, { $inc: { rev: 1 } });
    await messages.outboxProcessed(read);
    const after = await collection.find({}, { sort: { _id: 1 } }).toArray();
    assert.deepEqual(
      after.map(({ _id, outbox_pending, processed = null }) => [_id, outbox_pending, processed]),
      [
        ['a', false, ['sent']],
        ['b', true, null],
        ['c', false, ['sent', 'delivered']],
        ['d', false, ['sent']],
      ],
    );
  });
});
