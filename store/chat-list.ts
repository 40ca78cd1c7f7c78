import type { ChatFilter, ChatRow, Chats } from './chats.ts';
import type { Page } from './messages.ts';
import { type PageRead, readPage } from './page.ts';

export interface ChatQuestion {
  readonly filter: ChatFilter;
  /** Part of the name, the address or the last message, whatever its case. */
  readonly q: string | undefined;
  /** Digits that the address may have instead. */
  readonly parts: readonly string[];
  readonly page: Page;
}

/** A page of chats, newest first. A search may give less than a page, or nothing, though more follow. */
export function chatPage(chats: Chats, tenantId: string, { filter, q, parts, page }: ChatQuestion): Promise<PageRead<ChatRow>> {
  const wanted = q?.toLowerCase();
  return readPage<ChatRow>({
    limit: page.limit,
    fetch: (after, limit) =>
      chats.list(tenantId, filter, after ? { limit, before: after.last_message_at, beforeId: after.id } : { ...page, limit }),
    keep:
      wanted === undefined ? null : (rows) => rows.filter((row) => says(row, wanted) || parts.some((part) => row.chat_id.includes(part))),
  });
}

const says = ({ chat_name, chat_id, last_message }: ChatRow, wanted: string): boolean =>
  [chat_name, chat_id, last_message].some((text) => text?.toLowerCase().includes(wanted));
