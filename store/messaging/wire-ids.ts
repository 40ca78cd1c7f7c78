import { RecentCache } from '../../runtime/recent-cache.ts';
import type { MessageRow } from './message-row.ts';

const KEPT = 5_000;

interface Left {
  readonly id: string;
  readonly chat: string;
}

/** Messages that left lately, by the network's ids: receipts name them so. A chat may be another one's by now; nothing else ever changes. */
export class WireIds {
  readonly #left = new RecentCache<string, Left>(KEPT);

  learn(rows: readonly MessageRow[]): void {
    for (const { session_id, net_id, _id: id, chat_id: chat } of rows) this.#left.set(`${session_id} ${net_id}`, { id, chat });
  }

  /** Our ids; null: not all of the messages are known to have left for the chats that are said. */
  of(sessionId: string, { netIds, chats }: Receipted): readonly string[] | null {
    const ids: string[] = [];
    for (const [nth, netId] of netIds.entries()) {
      const left = this.#left.get(`${sessionId} ${netId}`);
      if (left === undefined || !isToOneOf(left.chat, chats?.[nth])) return null;
      ids.push(left.id);
    }
    return ids;
  }
}

/** Messages of which a receipt speaks, and the chat of each, under each of its addresses. No chats: the network itself vouches for the ids. */
export interface Receipted {
  readonly netIds: readonly string[];
  readonly chats?: readonly (readonly string[])[];
}

/** Whether a message to this chat can have a receipt from one of these addresses, which are those of one chat. */
export const isToOneOf = (chat: string, addresses: readonly string[] | undefined): boolean =>
  addresses === undefined || addresses.includes(chat);
