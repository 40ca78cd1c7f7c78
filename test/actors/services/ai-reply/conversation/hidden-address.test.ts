import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAiIntake } from '../../../../../actors/services/ai-reply/conversation/intake.ts';
import { VirtualClock } from '../../../../../runtime/testing/virtual-clock.ts';
import { aiChatsIn } from '../../../../../store/ai-reply/chats.ts';
import { aiSettingsIn } from '../../../../../store/ai-reply/settings.ts';
import { devicesIn } from '../../../../../store/devices/devices.ts';
import type { Store } from '../../../../../store/port.ts';
import { wakeupsIn } from '../../../../../store/scheduling/wakeups.ts';
import { interruptedStore } from '../../../../support/interrupted-store.ts';
import { aMessageRow } from '../../../../support/message-row.ts';
import { mortalStore } from '../../../../support/mortal-store.ts';
import { eachStore } from '../../../../support/stores.ts';

const LID = '77@lid';
const PHONE = '6281211110001';
const JID = `${PHONE}@s.whatsapp.net`;

/** Where messages come to AI replies, in one process. `learned`: whose number the hidden address is, once that is known. */
function anIntake(store: Store, learned: ReadonlyMap<string, string>) {
  return createAiIntake({
    aiSettings: aiSettingsIn(store),
    aiChats: aiChatsIn(store),
    devices: devicesIn(store),
    people: { resolve: (_tenantId, address) => learned.get(address) ?? address },
    wakeups: wakeupsIn(store),
    clock: new VirtualClock(100),
    hint: () => {},
  });
}

const inbound = (_id: string, chat_id: string, created_at: number) => aMessageRow({ _id, chat_id, created_at, direction: 'inbound' });

eachStore('AI state stored under a hidden address', (kind) => {
  it("is merged completely into the state of the person's number, even after a crash at any write", async (t) => {
    for (const death of [1, 2].flatMap((write) => [false, true].map((isMade) => ({ write, isMade })))) {
      const store = await kind.fresh(t);
      const [before, chats] = [anIntake(store, new Map()), aiChatsIn(store)];
      await store.prepare();
      await before.take(inbound('q1', LID, 10), 'question');
      await before.take(inbound('q2', JID, 20), 'question');
      await before.take(inbound('q3', LID, 30), 'question');
      await before.personWrote(aMessageRow({ _id: 'm1', chat_id: LID, created_at: 40 }));
      const dying = mortalStore(store, death);
      await assert.rejects(anIntake(dying.store, new Map()).merge('t', LID, PHONE), /dead/);
      await before.merge('t', LID, PHONE);
      await before.merge('t', LID, PHONE);
      const found = await chats.find({ tenantId: 't', sessionId: 's', chatId: JID });
      assert.deepEqual(
        found?.waiting.map(({ message_id }) => message_id),
        ['q1', 'q2', 'q3'],
      );
      assert.deepEqual([found?.due_at, found?.silence?.since, found?.received.toSorted()], [3_020, 40, ['q1', 'q2', 'q3']]);
      assert.equal(await chats.find({ tenantId: 't', sessionId: 's', chatId: LID }), null);
    }
  });

  it("is merged into the state of the person's number, even if the number is revealed during a write", async (t) => {
    const store = await kind.fresh(t);
    await store.prepare();
    const learned = new Map<string, string>();
    const intake = anIntake(
      interruptedStore(store, { name: 'ai_chats', reading: 'findOne' }, () => learned.set(LID, JID)),
      learned,
    );
    await intake.personWrote(aMessageRow({ _id: 'm1', chat_id: LID, created_at: 40 }));
    assert.equal((await aiChatsIn(store).find({ tenantId: 't', sessionId: 's', chatId: JID }))?.silence?.reason, 'agent');
  });
});
