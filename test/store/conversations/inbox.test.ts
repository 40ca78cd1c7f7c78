import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newChat } from '../../../actors/services/conversations/outbox-handler.ts';
import { type ChatFilter, type ChatRow, type Chats, chatsIn, chatsSpec } from '../../../store/conversations/chats.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { Page } from '../../../store/paging/page.ts';
import type { Store } from '../../../store/port.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { aDirectory, eachStore } from '../../support/stores.ts';
import { ranDuring } from '../engines/visited-rows.ts';

const CHATS = 6_000;
const TENANT = 't';
const ME = 'agent-1';
/** The oldest chats are the ones that filters ask for, so that all of the others come first. Two chats each have one time. */
const OLD = 40;
const SIZE = 15;

const aChat = (nth: number): ChatRow => {
  const created_at = 1_700_000_000_000 + Math.trunc(nth / 2);
  const chat_id = `62812${String(nth).padStart(8, '0')}@s.whatsapp.net`;
  const isOld = nth < OLD;
  return {
    ...newChat(
      aMessageRow({ _id: `m${nth}`, created_at, chat_id, tenant_id: TENANT, session_id: isOld && nth % 2 === 0 ? 'd2' : 'd1' }),
      created_at,
    ),
    id: `c${String((nth * 7_919) % CHATS).padStart(6, '0')}`,
    agent_id: isOld && nth % 3 === 0 ? ME : nth % 3 === 1 ? 'agent-2' : null,
    status: isOld && nth % 4 === 0 ? 'pending' : isOld && nth % 4 === 1 ? 'resolved' : 'open',
    unread_count: isOld && nth % 5 < 2 ? 1 : 0,
    pinned: isOld && nth % 7 < 3,
    archived: isOld && nth % 6 < 3,
    ...(isOld && nth % 2 === 0 && { tags: [{ name: 'vip', color: '#000000' }], tag_names: ['vip'] }),
  };
};

const rows = Array.from({ length: CHATS }, (_, nth) => aChat(nth));

const FILTERS: readonly (readonly [ChatFilter, (chat: ChatRow) => boolean])[] = [
  [{ pinned: true }, ({ pinned }) => pinned],
  [{ archived: true }, ({ archived }) => archived],
  [{ status: 'pending' }, ({ status }) => status === 'pending'],
  [{ status: 'resolved' }, ({ status }) => status === 'resolved'],
  [{ unread: true, session_id: 'd2' }, ({ unread_count, session_id }) => unread_count > 0 && session_id === 'd2'],
  [{ tag: 'vip' }, ({ tag_names }) => tag_names.length > 0],
  [{ session_id: 'd2' }, ({ session_id }) => session_id === 'd2'],
  [{ session_ids: ['d2', 'd3'] }, ({ session_id }) => session_id === 'd2'],
  [{ session_ids: ['d3', 'd4'] }, () => false],
  [{ session_id: 'd3' }, () => false],
  [{ agent_id: ME }, ({ agent_id }) => agent_id === ME],
  [{ seenBy: ME, agent_id: 'agent-2' }, () => false],
  [{ seenBy: ME, session_id: 'd2' }, ({ agent_id, session_id }) => agent_id !== 'agent-2' && session_id === 'd2'],
  [{ seenBy: ME, pinned: true }, ({ agent_id, pinned }) => agent_id !== 'agent-2' && pinned],
  [{ seenBy: ME, agent_id: null, archived: true }, ({ agent_id, archived }) => agent_id === null && archived],
  [{ agent_id: ME, status: 'resolved' }, ({ agent_id, status }) => agent_id === ME && status === 'resolved'],
  [
    { pinned: true, archived: true, status: 'pending', unread: true },
    (chat) => chat.pinned && chat.archived && chat.status === 'pending' && chat.unread_count > 0,
  ],
  [{ session_id: 'd2', status: 'pending', tag: 'vip' }, ({ session_id, status }) => session_id === 'd2' && status === 'pending'],
];

async function planted(store: Store): Promise<Chats> {
  const chats = chatsIn(store);
  await store.prepare();
  for (let from = 0; from < CHATS; from += 1_000) await store.collection<ChatRow>(chatsSpec).insertMany(rows.slice(from, from + 1_000));
  return chats;
}

const newestFirst = (a: ChatRow, b: ChatRow): number => b.last_message_at - a.last_message_at || (a.id < b.id ? 1 : -1);

async function allOf(chats: Chats, filter: ChatFilter): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let page: Page = { limit: SIZE, before: null, beforeId: null }; ; ) {
    const found = await Array.fromAsync(chats.list(TENANT, filter, page));
    seen.push(...found.map(({ id }) => id));
    const last = found.at(-1);
    if (!last || found.length < SIZE) return seen;
    page = { ...page, before: last.last_message_at, beforeId: last.id };
  }
}

eachStore('an inbox with many chats', (kind) => {
  it('returns pages of chats for every filter, newest first', async (t) => {
    const chats = await planted(await kind.fresh(t));
    for (const [filter, isAsked] of FILTERS) {
      const wanted = rows.filter(isAsked).toSorted(newestFirst);
      assert.deepEqual(
        await allOf(chats, filter),
        wanted.map(({ id }) => id),
        JSON.stringify(filter),
      );
    }
    const everything = await Array.fromAsync(chats.list(TENANT, { seenBy: ME }, { limit: 100, before: null, beforeId: null }));
    const visible = rows.filter(({ agent_id }) => agent_id !== 'agent-2').toSorted(newestFirst);
    assert.deepEqual(
      everything.map(({ id }) => id),
      visible.slice(0, 100).map(({ id }) => id),
    );
  });
});

/** Chats looked at in one turn of the event loop, and what tells where that ends, two of which may have its time. */
const MAX_STEP = 2_004;

it('the inbox is read in bounded steps, without sorting (embedded)', async (t) => {
  const path = `${aDirectory(t)}/chats.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const chats = await planted(store);
  for (const filter of [{ unread: true }, ...FILTERS.map(([filter]) => filter)]) {
    const ran = await ranDuring(path, () => allOf(chats, filter));
    for (const { sql, plan, visited } of ran) {
      assert.ok(visited <= MAX_STEP, `${JSON.stringify(filter)} looked at ${visited} chats: ${plan.join('; ')}: ${sql}`);
      assert.ok(!plan.some((step) => /^SCAN chats|TEMP B-TREE/.test(step)), `${JSON.stringify(filter)}: ${plan.join('; ')}: ${sql}`);
    }
  }
});
