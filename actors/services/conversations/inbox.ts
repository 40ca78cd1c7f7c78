import { at } from '../../../runtime/invariant.ts';
import type { ChatFilter, ChatRow, Chats } from '../../../store/conversations/chats.ts';
import { type Page, type PageRead, readPage } from '../../../store/paging/page.ts';
import type { ChatNames, NamedChat } from './chat-names.ts';

export interface InboxQuestion {
  readonly filter: ChatFilter;
  /** Part of a name, the address or the last message, whatever its case. */
  readonly q: string | undefined;
  /** Digits that the address may have instead. */
  readonly parts: readonly string[];
  readonly page: Page;
}

export interface InboxDeps {
  readonly chats: Pick<Chats, 'list'>;
  readonly chatNames: ChatNames;
}

/** A page of chats under their names, newest first. A search may give less than a page, or nothing, though more follow. */
export async function inboxPage(
  { chats, chatNames }: InboxDeps,
  tenantId: string,
  { filter, q, parts, page }: InboxQuestion,
): Promise<PageRead<ChatRow>> {
  const wanted = q?.toLowerCase();
  const says = ({ row, names }: NamedChat, text: string): boolean =>
    [...names, row.chat_id, row.last_message].some((one) => one?.toLowerCase().includes(text)) ||
    parts.some((part) => row.chat_id.includes(part));
  const { rows, next } = await readPage<ChatRow>({
    owner: tenantId,
    limit: page.limit,
    fetch: (after, limit) =>
      chats.list(tenantId, filter, after ? { limit, before: after.last_message_at, beforeId: after.id } : { ...page, limit }),
    keep:
      wanted === undefined
        ? null
        : async (found) => (await chatNames.nameAll(tenantId, found)).flatMap((chat, nth) => (says(chat, wanted) ? at(found, nth) : [])),
  });
  return { rows: (await chatNames.nameAll(tenantId, rows)).map(({ row }) => row), next };
}
