import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newChat } from '../../../actors/services/conversations/outbox-handler.ts';
import { chatsIn } from '../../../store/conversations/chats.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachStore } from '../../support/stores.ts';

const AT_ONCE = 20;

eachStore('concurrent changes to one chat', (kind) => {
  it('are applied one at a time, and each change is computed only once', async (t) => {
    const store = await kind.fresh(t);
    const chats = chatsIn(store);
    await store.prepare();
    const first = aMessageRow({ _id: 'm1', created_at: 1 });
    const { tenant_id, session_id, chat_id } = first;
    await chats.open(newChat(first, 1));
    let decided = 0;
    const note = (text: string) =>
      chats.change(tenant_id, session_id, chat_id, ({ notes }) => {
        decided += 1;
        if (text === '7') throw new Error('not this one');
        return { notes: [text, ...notes] };
      });
    const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, nth) => note(String(nth))));
    assert.deepEqual(
      settled.flatMap(({ status }, nth) => (status === 'rejected' ? [nth] : [])),
      [7],
    );
    assert.equal((await chats.find(tenant_id, session_id, chat_id))?.notes.length, AT_ONCE - 1);
    assert.equal(decided, AT_ONCE);
  });
});
