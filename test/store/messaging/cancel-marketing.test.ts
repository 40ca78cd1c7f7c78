import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type MessageRow, messagesIn, messagesSpec } from '../../../store/messaging/messages.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachStore } from '../../support/stores.ts';

const COUNT = 1_200;
const CHAT = '6281211110001@s.whatsapp.net';

eachStore('queued marketing messages for a person who opts out', (kind) => {
  it('are all cancelled, even if there are more than a thousand', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    await store.prepare();
    const rows = Array.from({ length: COUNT }, (_, nth) =>
      aMessageRow({
        _id: `m${String(nth).padStart(5, '0')}`,
        net_id: `n${nth}`,
        tenant_id: 't',
        session_id: 's',
        chat_id: CHAT,
        marketing: true,
        created_at: nth,
      }),
    );
    await store.collection<MessageRow>(messagesSpec).insertMany(rows);
    const stopped = await messages.cancelMarketing('t', [CHAT]);
    assert.deepEqual([stopped.length, await messages.queued('t', 's', COUNT)], [COUNT, 0]);
  });
});
