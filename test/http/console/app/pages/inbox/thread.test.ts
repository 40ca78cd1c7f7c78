import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Chat, isToRead, withFirstPage, withNews } from '../../../../../../http/console/app/pages/inbox/chats.ts';
import { EMPTY, type Entry, type Page, withNewest, withOlder, withStatus } from '../../../../../../http/console/app/pages/inbox/thread.ts';
import { windowOf } from '../../../../../../http/console/app/ui/window-of.ts';

const entry = (id: string, at: number, status: Entry['status'] = 'sent'): Entry => ({
  ...{ id, session_id: 's', direction: 'outbound', chat_id: 'c', message_type: 'text', body: id, media_r2_key: null },
  ...{ status, created_at: at },
});
const page = (messages: readonly Entry[], before: number | null = null): Page => ({
  messages,
  next_before: before,
  next_before_id: before === null ? null : 'x',
});
const ids = (entries: readonly Entry[]): string => entries.map(({ id }) => id).join('');

it('a chat lists each message once, oldest first, even if pages overlap', () => {
  const first = withNewest(EMPTY, [page([entry('c', 3), entry('b', 2)], 2)]);
  assert.deepEqual([ids(first.entries), first.older], ['bc', { before: 2, before_id: 'x' }]);
  const whole = withOlder(first, page([entry('b', 2), entry('a', 1)]));
  assert.deepEqual([ids(whole.entries), whole.older], ['abc', null]);
  assert.equal(ids(withNewest(whole, [page([entry('d', 4), entry('c', 3)], 3)]).entries), 'abcd');
});

it('a chat merges overlapping pages, and drops older messages if there is a gap', () => {
  const thread = withNewest(EMPTY, [page([entry('a', 1)])]);
  const joined = withNewest(thread, [page([entry('d', 4), entry('c', 3)], 3), page([entry('b', 2), entry('a', 1)])]);
  assert.equal(ids(joined.entries), 'abcd');
  const gap = withNewest(thread, [page([entry('z', 26), entry('y', 25)], 25)]);
  assert.deepEqual([ids(gap.entries), gap.older], ['yz', { before: 25, before_id: 'x' }]);
});

it('a chat can still load older messages if a new message arrives before the first page', () => {
  const early = { ...EMPTY, entries: [entry('c', 3)] };
  const first = withNewest(early, [page([entry('c', 3), entry('b', 2)], 2)], EMPTY);
  assert.deepEqual([ids(first.entries), first.older], ['bc', { before: 2, before_id: 'x' }]);
  const later = withNewest({ ...EMPTY, entries: [entry('d', 4)] }, [page([entry('c', 3), entry('b', 2)], 2)], EMPTY);
  assert.deepEqual([ids(later.entries), later.older], ['bcd', { before: 2, before_id: 'x' }]);
});

it('a chat keeps a message that arrives while pages are loading, even if older pages are missing', () => {
  const known = withNewest(EMPTY, [page([entry('a', 1)])]);
  const painted = { ...known, entries: [...known.entries, entry('z', 26)] };
  const gap = withNewest(painted, [page([entry('y', 25), entry('x', 24)], 24)], known);
  assert.deepEqual([ids(gap.entries), gap.older], ['xyz', { before: 24, before_id: 'x' }]);
});

it('a message status never moves backwards, except when a failed message is queued again', () => {
  const thread = withNewest(EMPTY, [page([entry('a', 1, 'read'), entry('b', 2, 'failed')])]);
  assert.equal(withStatus(thread, 'a', 'delivered').entries[0]?.status, 'read');
  assert.equal(withNewest(thread, [page([entry('a', 1, 'sent')])]).entries[0]?.status, 'read');
  assert.equal(withStatus(thread, 'b', 'queued').entries[1]?.status, 'queued');
  assert.equal(withStatus(thread, 'a', 'failed', 'gone').entries[0]?.error, 'gone');
});

const chat = (chat_id: string, at: number, more: Partial<Chat> = {}): Chat => ({
  ...{ id: chat_id, session_id: 's', chat_id, chat_name: null, last_message: null, last_message_at: at, unread_count: 0 },
  ...{ is_group: 0, agent_id: null, status: 'open', snoozed_until: null, window_until: null, phone: null, lid: null, username: null },
  ...more,
});
const names = (chats: readonly Chat[] | null): string => (chats ?? []).map(({ chat_id }) => chat_id).join('');

it('the chat list sorts chats by newest message, and counts unread messages in closed chats', () => {
  const chats = [chat('b', 20), chat('a', 10, { status: 'resolved' })];
  const news = { session_id: 's', chat_id: 'a', text: 'hi', at: 30, isInbound: true, isOpen: false };
  const [first, second] = withNews(chats, news) ?? [];
  assert.deepEqual([first?.chat_id, first?.unread_count, first?.last_message, first?.status, second?.chat_id], ['a', 1, 'hi', 'open', 'b']);
  assert.equal(withNews(chats, { ...news, isOpen: true })?.[0]?.unread_count, 0);
  assert.equal(withNews(chats, { ...news, chat_id: 'nobody' }), null);
});

it('the chat list drops outdated chats when its first page is reloaded, but keeps older chats', () => {
  const chats = [chat('d', 40), chat('c', 30), chat('b', 20), chat('a', 10)];
  assert.equal(names(withFirstPage(chats, [chat('e', 50), chat('d', 40), chat('b', 20)], true)), 'edba');
  assert.equal(names(withFirstPage(chats, [chat('d', 40)], false)), 'd');
});

it('a list of ten thousand rows renders only the visible ones', () => {
  assert.deepEqual(windowOf(10_000, 70, 0, 700, 5), { from: 0, to: 16 });
  assert.deepEqual(windowOf(10_000, 70, 350_000, 700, 5), { from: 4_995, to: 5_016 });
  assert.deepEqual(windowOf(3, 70, 9_000, 700, 5), { from: 2, to: 3 });
  assert.deepEqual(windowOf(0, 70, 0, 700, 5), { from: 0, to: 0 });
});

it('the open chat marks new messages as read, with one call per chat', () => {
  const now = { chat: 's a', last: 'm2' };
  assert.equal(isToRead(1, null, now), true);
  assert.equal(isToRead(0, null, now), false, 'opened, with nothing unread');
  assert.equal(isToRead(0, { chat: 's a', last: 'm1' }, now), true, 'it came meanwhile');
  assert.equal(isToRead(0, now, now), false);
  assert.equal(isToRead(0, { chat: 's b', last: 'm1' }, now), false, 'another chat');
});
