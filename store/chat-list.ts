import type { ChatFilter, ChatRow, Chats } from './chats.ts';
import type { Page } from './messages.ts';

export interface ChatQuestion {
  readonly filter: ChatFilter;
  /** Part of the name, the address or the last message, whatever its case. */
  readonly q: string | undefined;
  readonly page: Page;
}

export interface ChatPage {
  readonly rows: readonly ChatRow[];
  /** The page after begins behind it; null: this was the last. */
  readonly next: ChatRow | null;
}

const LOOKED_AT_TOGETHER = 200;
/** No index finds a part of a text: a search looks at so many chats a page, so that none takes long. */
const LOOKED_AT_A_PAGE = 4_000;

/** A page of chats, newest first. A search may give less than a page, or nothing, though more follow. */
export async function chatPage(chats: Chats, tenantId: string, { filter, q, page }: ChatQuestion): Promise<ChatPage> {
  if (q !== undefined) return search(chats, tenantId, { filter, q, page });
  // One more than asked for tells whether this is the last page.
  const found = await chats.list(tenantId, filter, { ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  return { rows, next: found.length > page.limit ? (rows.at(-1) ?? null) : null };
}

async function search(chats: Chats, tenantId: string, { filter, q, page }: ChatQuestion & { q: string }): Promise<ChatPage> {
  const wanted = q.toLowerCase();
  const rows: ChatRow[] = [];
  let at: Page = { ...page, limit: LOOKED_AT_TOGETHER };
  for (let looked = 0; ; looked += LOOKED_AT_TOGETHER) {
    const found = await chats.list(tenantId, filter, at);
    for (const row of found) {
      if (says(row, wanted)) rows.push(row);
      if (rows.length === page.limit) return { rows, next: row };
    }
    const last = found.at(-1);
    if (!last || found.length < LOOKED_AT_TOGETHER) return { rows, next: null };
    if (looked + LOOKED_AT_TOGETHER >= LOOKED_AT_A_PAGE) return { rows, next: last };
    at = { ...at, before: last.last_message_at, beforeId: last.id };
  }
}

const says = ({ chat_name, chat_id, last_message }: ChatRow, wanted: string): boolean =>
  [chat_name, chat_id, last_message].some((text) => text?.toLowerCase().includes(wanted));
