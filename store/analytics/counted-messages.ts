import { fairSlices } from '../../runtime/fair-slices.ts';
import { inChunks } from '../../runtime/in-chunks.ts';
import { type ChatRow, chatKey, chatsSpec } from '../conversations/chats.ts';
import type { MessageRow } from '../messaging/message-row.ts';
import { messagesSpec } from '../messaging/messages.ts';
import { olderThan } from '../paging/page.ts';
import type { Collection, Filter, Store } from '../port.ts';
import { BUCKET_MS } from './bucket-row.ts';

export type CountedMessage = Pick<
  MessageRow,
  | '_id'
  | 'direction'
  | 'status'
  | 'chat_id'
  | 'message_type'
  | 'history'
  | 'created_at'
  | 'lane'
  | 'written_by'
  | 'automatic'
  | 'made_by'
  | 'ai'
  | 'origin'
  | 'blast_id'
  | 'error'
  | 'cost'
>;

export interface CountedMessages {
  inBucket(sessionId: string, at: number): AsyncIterable<CountedMessage>;
  /** Returns the time when each chat was created on the device, in epoch ms. Unknown chats are omitted. */
  since(sessionId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  before(sessionId: string, chatId: string, at: number, limit: number): Promise<readonly CountedMessage[]>;
}

const FIELDS = {
  _id: 1,
  direction: 1,
  status: 1,
  chat_id: 1,
  message_type: 1,
  history: 1,
  created_at: 1,
  lane: 1,
  written_by: 1,
  automatic: 1,
  made_by: 1,
  ai: 1,
  origin: 1,
  blast_id: 1,
  error: 1,
  cost: 1,
} as const;
const NEWEST_FIRST = { created_at: -1, _id: -1 } as const;
const PAGE_SIZE = 250;

export function countedMessagesIn(store: Store): CountedMessages {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  const chats = store.collection<ChatRow>(chatsSpec);
  return {
    async *inBucket(session_id, at) {
      const options = { sort: NEWEST_FIRST, projection: FIELDS, limit: PAGE_SIZE };
      let place: Filter = { created_at: { $gte: at, $lt: at + BUCKET_MS } };
      for (let isMore = true; isMore; ) {
        const filter = { session_id, ...place };
        const page: readonly CountedMessage[] = await fairSlices.run(session_id, () => messages.find(filter, options).toArray());
        yield* page;
        const last = page.at(-1);
        isMore = page.length === PAGE_SIZE;
        if (last) place = { created_at: { $gte: at }, ...olderThan({ before: last.created_at, beforeId: last._id }) };
      }
    },
    async since(sessionId, chatIds) {
      const found: [string, number][] = [];
      for (const some of inChunks(chatIds, PAGE_SIZE)) {
        const filter = { _id: { $in: some.map((chatId) => chatKey(sessionId, chatId)) } };
        const options = { projection: { chat_id: 1, created_at: 1 } } as const;
        const rows = await fairSlices.run(sessionId, () => chats.find(filter, options).toArray());
        for (const { chat_id, created_at } of rows) found.push([chat_id, created_at]);
      }
      return new Map(found);
    },
    before: (session_id, chat_id, at, limit) =>
      messages.find({ session_id, chat_id, created_at: { $lt: at } }, { sort: NEWEST_FIRST, projection: FIELDS, limit }).toArray(),
  };
}
