import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newChat } from '../../../../actors/services/conversations/outbox-handler.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { audienceOf, MAX_AUDIENCE, SHOWN_MS, statusesOf, statusOf } from '../../../../actors/services/statuses/statuses.ts';
import { consentsIn } from '../../../../store/consent/consents.ts';
import { type ChatRow, chatsIn, chatsSpec } from '../../../../store/conversations/chats.ts';
import { openEmbedded } from '../../../../store/engines/embedded/embedded.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { ranDuring } from '../../../store/engines/visited-rows.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { aDirectory, eachStore } from '../../../support/stores.ts';

const HOUR = 3_600_000;
const idsOf = (rows: readonly { readonly _id: string }[]): readonly string[] => rows.map(({ _id }) => _id);
const FIRST = { limit: 50, before: null, beforeId: null };

eachStore('a status that its device sends late', (kind) => {
  it('is visible for a day after it was actually sent', async (t) => {
    const messages = messagesIn(await kind.fresh(t));
    const sent_at = 20 * HOUR;
    await messages.accept(aMessageRow({ _id: 'late', created_at: 1, chat_id: 'status@broadcast', status: 'sent', sent_at }));
    await messages.accept(aMessageRow({ _id: 'lost', created_at: 1, chat_id: 'status@broadcast' }));
    const deps = { messages };
    const device = { _id: 's', tenant_id: 't' };
    const shownAt = async (now: number) => (await statusesOf(deps, device, { page: FIRST, now }, idsOf)).entries;
    assert.deepEqual((await shownAt(SHOWN_MS)).toSorted(), ['late', 'lost']);
    const later = sent_at + SHOWN_MS - 1;
    assert.deepEqual(await shownAt(later), ['late']);
    assert.equal((await statusOf(deps, device, 'late', later))._id, 'late');
    await assert.rejects(statusOf(deps, device, 'lost', later), { code: 'NOT_FOUND' });
    assert.deepEqual(await shownAt(later + 1), []);
    await assert.rejects(statusOf(deps, device, 'late', later + 1), { code: 'NOT_FOUND' });
  });
});

eachStore('a list of statuses', (kind) => {
  it('shows older statuses, even if many newer ones were deleted', async (t) => {
    const messages = messagesIn(await kind.fresh(t));
    const at = (nth: number) => ({ created_at: HOUR - nth, chat_id: 'status@broadcast' }) as const;
    const named = (nth: number) => ({ _id: `m${1_000 + nth}`, net_id: `n${nth}`, ...at(nth) });
    for (let nth = 0; nth < 210; nth += 1) await messages.accept(aMessageRow({ ...named(nth), status: 'deleted' }));
    for (let nth = 210; nth < 213; nth += 1) await messages.accept(aMessageRow({ ...named(nth), status: 'sent', sent_at: HOUR }));
    const device = { _id: 's', tenant_id: 't' };
    const first = await statusesOf({ messages }, device, { page: { ...FIRST, limit: 2 }, now: 2 * HOUR }, idsOf);
    assert.deepEqual(first.entries, ['m1210', 'm1211']);
    const page = { limit: 2, before: first.next?.at ?? null, beforeId: first.next?.id ?? null };
    assert.deepEqual(await statusesOf({ messages }, device, { page, now: 2 * HOUR }, idsOf), { entries: ['m1212'], next: null });
  });
});

/** Chats that are read in one turn of the event loop. */
const MAX_STEP = 200;

it('a status is sent to the people in the latest 1,000 chats, which are read in steps (embedded)', async (t) => {
  const path = `${aDirectory(t)}/chats.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const deps = { messages: messagesIn(store), chats: chatsIn(store), consents: consentsIn(store, (_tenant, subject) => subject) };
  await store.prepare();
  const chatOf = (nth: number): string => `62812${10_000_000 + nth}@s.whatsapp.net`;
  // Two chats each have one time.
  const chats = Array.from({ length: MAX_AUDIENCE + 2 }, (_, nth) =>
    newChat(aMessageRow({ _id: `m${nth}`, created_at: HOUR - Math.trunc(nth / 2), chat_id: chatOf(nth) }), HOUR),
  );
  await store.collection<ChatRow>(chatsSpec).insertMany(chats);
  const ran = await ranDuring(path, async () => {
    const audience = await audienceOf(deps, { ...newDevice('t', null, null, HOUR), _id: 's' }, null);
    assert.equal(new Set(audience.chats).size, MAX_AUDIENCE);
    assert.deepEqual(audience.chats.slice(0, 2).toSorted(), [chatOf(0), chatOf(1)]);
  });
  const ofChats = ran.filter(({ sql }) => sql.includes('"chats"'));
  assert.ok(ofChats.length > 0);
  for (const { sql, visited } of ofChats) assert.ok(visited <= MAX_STEP + 2, `looked at ${visited} chats: ${sql}`);
});
