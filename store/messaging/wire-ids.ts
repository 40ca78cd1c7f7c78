import { RecentCache } from '../../runtime/recent-cache.ts';
import type { MessageRow } from './message-row.ts';

const KEPT = 5_000;

interface Left {
  readonly id: string;
  readonly chat: string;
}

/** Caches recently sent messages for their receipts. Only the address of a message's chat may change. */
export class WireIds {
  readonly #left = new RecentCache<string, Left>(KEPT);

  learn(rows: readonly MessageRow[]): void {
    for (const { session_id, net_id, _id: id, chat_id: chat } of rows) this.#left.set(`${session_id} ${net_id}`, { id, chat });
  }

  /** Returns null unless all these messages are known and were sent to the stated chats. */
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

/** If `chats` is absent, the network guarantees that the ids are right. */
export interface Receipted {
  readonly netIds: readonly string[];
  readonly chats?: readonly (readonly string[])[];
}

export const isToOneOf = (chat: string, addresses: readonly string[] | undefined): boolean =>
  addresses === undefined || addresses.includes(chat);
