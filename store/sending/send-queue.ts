import { type ChatRow, chatKey, chatsSpec } from '../conversations/chats.ts';
import { FIRST_CONTACT } from '../messaging/message-row.ts';
import { type MessageRow, messagesSpec, type Owner } from '../messaging/messages.ts';
import type { Collection, Filter, Store } from '../port.ts';

export interface SendQueue {
  window(owner: Owner, lane: number, limit: number, now: number): Promise<MessageRow[]>;
  otherChat(owner: Owner, head: MessageRow, chats: ReadonlySet<string>, now: number): Promise<MessageRow | null>;
  strangers(owner: Owner, chats: readonly string[]): Promise<ReadonlySet<string>>;
  setAside(ids: readonly string[]): Promise<void>;
  readmit(owner: Owner, chat: string): Promise<void>;
}

const ORDER = { lane: 1, priority: -1, _id: 1 } as const;
const MAX_SEEN = 2_000;
/** Longer than any pause after a refusal. A later time means that the wall clock was set back. */
const LONGEST_BACKOFF_MS = 3_600_000;

const notHeldBack = (now: number): Filter => ({
  $or: [{ 'backoff.until': null }, { 'backoff.until': { $lte: now } }, { 'backoff.until': { $gt: now + LONGEST_BACKOFF_MS } }],
});

export function sendQueueIn(store: Store): SendQueue {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  const chatRows = store.collection<ChatRow>(chatsSpec);
  const waiting = ({ tenantId, sessionId }: Owner) => ({ session_id: sessionId, tenant_id: tenantId, status: 'queued' }) as const;

  async function isReceived({ sessionId }: Owner, chat_id: string): Promise<boolean> {
    return (await messages.findOne({ session_id: sessionId, chat_id, direction: 'inbound' }, { projection: { _id: 1 } })) !== null;
  }

  return {
    window: (owner, lane, limit, now) =>
      messages.find({ ...waiting(owner), lane: { $lte: lane }, ...notHeldBack(now) }, { sort: ORDER, limit }).toArray(),

    async otherChat(owner, { lane, priority }, chats, now) {
      // Reads only fields in the `lanes` index, because 2,000 rows with texts may be large.
      const places = { session_id: owner.sessionId, status: 'queued', lane, priority };
      const seen = await messages.find(places, { sort: ORDER, limit: MAX_SEEN, projection: { _id: 1, chat_id: 1 } }).toArray();
      const other = seen.find(({ chat_id }) => !chats.has(chat_id));
      return other ? messages.findOne({ _id: other._id, ...waiting(owner), ...notHeldBack(now) }) : null;
    },

    async strangers(owner, chats) {
      const ids = chats.map((chat) => chatKey(owner.sessionId, chat));
      const found = await chatRows.find({ _id: { $in: ids } }, { projection: { chat_id: 1 } }).toArray();
      const known = new Set(found.map(({ chat_id }) => chat_id));
      const unknown = chats.filter((chat) => !known.has(chat));
      // A chat's row is stored shortly after its first message, so the messages are checked too.
      const received = await Promise.all(unknown.map((chat) => isReceived(owner, chat)));
      return new Set(unknown.filter((_chat, nth) => !received[nth]));
    },

    async setAside(ids) {
      await messages.updateMany({ _id: { $in: ids }, status: 'queued', lane: { $lt: FIRST_CONTACT } }, { $inc: { lane: FIRST_CONTACT } });
    },

    async readmit(owner, chat_id) {
      await messages.updateMany({ ...waiting(owner), chat_id, lane: { $gte: FIRST_CONTACT } }, { $inc: { lane: -FIRST_CONTACT } });
    },
  };
}
