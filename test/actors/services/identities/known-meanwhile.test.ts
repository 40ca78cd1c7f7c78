import assert from 'node:assert/strict';
import { it } from 'node:test';
import { importHistory } from '../../../../actors/device/effects/history-import.ts';
import { lidOf } from '../../../../actors/network/sandbox/addresses.ts';
import { importChats } from '../../../../actors/services/conversations/import-history.ts';
import { createIdentityResolver } from '../../../../actors/services/identities/identities.ts';
import { reactionsTo } from '../../../../actors/services/messaging/message-actions.ts';
import { safeText, safeTexts } from '../../../../runtime/safe-text.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { aDevice } from '../../../../scripts/bench/planted.ts';
import { chatMovesIn } from '../../../../store/conversations/chat-merges.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { receivedActionsIn } from '../../../../store/messaging/received-actions.ts';
import type { Store } from '../../../../store/port.ts';
import { ANNA } from '../../../support/gateway.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { aMessageRow, aSecretSealer } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const TENANT = 'acme';
const JID = `${ANNA}@s.whatsapp.net`;
const LID = lidOf(ANNA);
const AT = Date.UTC(2026, 0, 1);
const KNOWN = { address: LID, phone: ANNA, username: null, source: 'usync', at: AT } as const;

function partsOver(store: Store) {
  const [chats, messages, moves] = [chatsIn(store), messagesIn(store), chatMovesIn(store)];
  const clock = new VirtualClock();
  const people = createIdentityResolver({ chats, messages, moves, devices: devicesIn(store), identities: identitiesIn(store), clock });
  return { chats, messages, people, clock };
}

eachStore('a person whose number becomes known', (kind) => {
  it('has only one chat, even if the number becomes known during a history import', async (t) => {
    const store = await kind.fresh(t);
    const { chats, messages, people } = partsOver(store);
    // Another message of hers, with both addresses, between the look at who wrote the history and what is stored of it.
    const interrupted = interruptedStore(store, { name: 'identities', reading: 'find' }, () => people.learn(TENANT, KNOWN));
    const importing = partsOver(interrupted);
    await store.prepare();
    const { _id: sessionId } = await aDevice(store, TENANT);
    const rememberChats = importChats({ chats, messages }, () => AT);
    const from = { chat: LID, from: LID, fromName: 'Anna', quotes: null, isOurs: false };
    const isPlatformChat = async () => false;
    const secrets = aSecretSealer();
    await importHistory(
      {
        ...{ messages, people: importing.people, secrets, rememberChats, isPlatformChat, timers: { learnFrom: async () => {} } },
        ...{ keptSince: async () => 0, olderLoaded: async () => {}, receivedActions: receivedActionsIn(store) },
      },
      { tenantId: TENANT, sessionId, epoch: 1 },
      safeTexts({
        ...{ type: 'history', token: 'h' },
        messages: [{ ...from, netId: 'a', at: AT - 1, content: { type: 'text', body: 'an old order' } }],
      }),
    );
    assert.equal(await chats.find(TENANT, sessionId, LID), null);
    assert.equal((await chats.find(TENANT, sessionId, JID))?.last_message, 'an old order');
  });

  it('is shown with only one reaction, the latest sent from either address', async (t) => {
    const store = await kind.fresh(t);
    const { messages, people } = partsOver(store);
    const receivedActions = receivedActionsIn(store);
    await store.prepare();
    const chat_id = '120363000000000001@g.us';
    const message = aMessageRow({ _id: 'm', created_at: AT, chat_id, tenant_id: TENANT });
    const react = (nth: number, sender: string, emoji: string) =>
      messages.receive({
        ...aMessageRow({ _id: `r${nth}`, created_at: AT + nth, chat_id, tenant_id: TENANT, sender }),
        ...{ direction: 'inbound', status: 'delivered', message_type: 'reaction', body: safeText(emoji) },
        parts: { reaction: { target: 'm', message_id: 'm', at: AT + nth } },
      });
    const shown = async () => (await reactionsTo({ receivedActions, people }, message)).map(({ sender, body }) => [sender, body]);
    await react(1, LID, '👍');
    assert.deepEqual(await shown(), [[LID, '👍']]);
    await people.learn(TENANT, KNOWN);
    await react(2, JID, '❤️');
    assert.deepEqual(await shown(), [[JID, '❤️']]);
    await react(3, JID, '');
    assert.deepEqual(await shown(), []);
  });

  it('is looked up again after a minute, in case another node has changed or deleted the number', async (t) => {
    const store = await kind.fresh(t);
    const [here, there] = [partsOver(store), partsOver(store)];
    await store.prepare();
    const resolved = () => here.people.resolve(TENANT, LID);
    await here.people.learn(TENANT, KNOWN);
    await there.people.learn(TENANT, { ...KNOWN, phone: '6281211110002' });
    await here.clock.advance(60_000);
    assert.equal(await resolved(), '6281211110002@s.whatsapp.net');
    await store.collection({ name: 'identities', indexes: [] }).deleteMany({ tenant_id: TENANT });
    await here.clock.advance(60_000);
    assert.equal(await resolved(), LID);
    await here.people.learn(TENANT, KNOWN);
    assert.equal(await there.people.resolve(TENANT, LID), '6281211110002@s.whatsapp.net');
    await there.clock.advance(60_000);
    assert.equal(await there.people.resolve(TENANT, LID), JID);
  });
});
