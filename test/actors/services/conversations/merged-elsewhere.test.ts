import assert from 'node:assert/strict';
import { it } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
import { updateChats } from '../../../../actors/services/conversations/outbox-handler.ts';
import { createIdentityResolver } from '../../../../actors/services/identities/identities.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { chatMovesIn } from '../../../../store/conversations/chat-merges.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const [REGISTERED, DIALLED] = ['6281211110001', '6281311110001'];

eachStore('a chat that another node has just merged', (kind) => {
  it('is not created again by a message that is still being processed on this node', async (t) => {
    const store = await kind.fresh(t);
    await store.prepare();
    const clock = new VirtualClock();
    const [chats, messages] = [chatsIn(store), messagesIn(store)];
    const shared = {
      identities: identitiesIn(store),
      devices: { ids: async () => ['s'] },
      chats,
      messages,
      moves: chatMovesIn(store),
      clock,
    };
    const [here, there] = [createIdentityResolver(shared), createIdentityResolver(shared)];
    assert.equal(await here.resolve('t', userJid(DIALLED)), userJid(DIALLED), 'this node remembers it for a minute');
    await there.learn('t', { address: userJid(DIALLED), phone: REGISTERED, username: null, source: 'usync', at: clock.now() });
    const row = aMessageRow({
      tenant_id: 't',
      session_id: 's',
      chat_id: userJid(DIALLED),
      _id: '01J0000000000000000000000A',
      body: 'Hi',
      created_at: 1,
      direction: 'outbound',
      status: 'sent',
      sent_at: 1,
    });
    const handler = updateChats(
      { chats, messages, people: here, choose: async () => null, announce: async () => {}, snoozeEnded: async () => {} },
      () => clock.now(),
    );
    const plan = await handler.plan([row]);
    assert.ok(plan);
    if ('alone' in plan) await plan.alone();
    else for (const write of plan.writes) await write();
    const found = await Promise.all([DIALLED, REGISTERED].map((digits) => chats.find('t', 's', userJid(digits))));
    assert.deepEqual(
      found.map((chat) => chat?.chat_id ?? null),
      [null, userJid(REGISTERED)],
    );
  });
});
