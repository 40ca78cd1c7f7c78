import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';

export type Chat = Schemas['InboxChat'];

const inOrder = (one: Chat, other: Chat): number => other.last_message_at - one.last_message_at || (one.id < other.id ? 1 : -1);

const keyOf = ({ session_id, chat_id }: Pick<Chat, 'session_id' | 'chat_id'>): string => `${session_id} ${chat_id}`;

export function withPage(chats: readonly Chat[], page: readonly Chat[]): readonly Chat[] {
  const byKey = new Map(chats.map((one) => [keyOf(one), one]));
  for (const one of page) byKey.set(keyOf(one), one);
  return [...byKey.values()].toSorted(inOrder);
}

/** Drops known chats that are no longer on the page because they no longer match the filters. */
export function withFirstPage(chats: readonly Chat[], page: readonly Chat[], hasMore: boolean): readonly Chat[] {
  const last = page.at(-1);
  const older = hasMore && last ? chats.filter((one) => inOrder(one, last) > 0) : [];
  return withPage(older, page);
}

/** The newest message that a chat had when it was last viewed. */
export interface Seen {
  readonly chat: string;
  readonly last: string;
}

export const isToRead = (unread: number, seen: Seen | null, now: Seen): boolean =>
  unread > 0 || (seen !== null && seen.chat === now.chat && seen.last !== now.last);

export interface News {
  readonly session_id: string;
  readonly chat_id: string;
  readonly text: string | null;
  readonly at: number;
  readonly isInbound: boolean;
  readonly isOpen: boolean;
}

/** Returns null if the chat is not loaded. */
export function withNews(chats: readonly Chat[], news: News): readonly Chat[] | null {
  const known = chats.find((one) => keyOf(one) === keyOf(news));
  if (!known) return null;
  const isLater = news.at >= known.last_message_at;
  const changed: Chat = {
    ...known,
    ...(isLater && news.text !== null && { last_message: news.text }),
    last_message_at: Math.max(known.last_message_at, news.at),
    unread_count: known.unread_count + (news.isInbound && !news.isOpen ? 1 : 0),
    status: news.isInbound && known.status === 'resolved' ? 'open' : known.status,
  };
  return withPage(chats, [changed]);
}

export const withChat = (chats: readonly Chat[], chat: Chat): readonly Chat[] =>
  chats.some((one) => keyOf(one) === keyOf(chat)) ? withPage(chats, [chat]) : chats;
