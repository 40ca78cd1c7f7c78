import { at } from '../../../runtime/invariant.ts';
import type { ChatFilter, ChatRow, Chats } from '../../../store/conversations/chats.ts';
import { type Page, type PageRead, type Reading, readPage } from '../../../store/paging/page.ts';
import type { ChatNames, NamedChat } from './chat-names.ts';
import { type MemberDeps, searchMembers } from './members-named.ts';

export interface InboxQuestion {
  readonly filter: ChatFilter;
  readonly q: string | undefined;
  readonly parts: readonly string[];
  readonly page: Page;
}

export interface InboxDeps extends MemberDeps {
  readonly chats: Pick<Chats, 'list'>;
  readonly chatNames: ChatNames;
}

const CHATS_TOGETHER = 50;

/** In a search, a page may be partial or empty, although more chats follow. */
export function inboxPage<E>(
  deps: InboxDeps,
  tenantId: string,
  { filter, q, parts, page }: InboxQuestion,
  show: (chat: NamedChat) => E,
): Promise<PageRead<E>> {
  const { chats, chatNames } = deps;
  return readPage<ChatRow, E>({
    owner: tenantId,
    page,
    list: (from) => chats.list(tenantId, filter, from),
    placeOf: ({ last_message_at, id }) => ({ at: last_message_at, id }),
    show: async (rows) => (await chatNames.nameAll(tenantId, rows)).map(show),
    ...(q !== undefined && searching(deps, tenantId, q.toLowerCase(), parts)),
  });
}

function searching(
  deps: InboxDeps,
  tenantId: string,
  wanted: string,
  parts: readonly string[],
): Pick<Reading<ChatRow, unknown>, 'keep' | 'isEnough' | 'together'> {
  const members = searchMembers(deps, tenantId, wanted);
  const says = ({ row, names }: NamedChat): boolean =>
    [...names, row.chat_id, row.last_message].some((one) => one?.toLowerCase().includes(wanted)) ||
    parts.some((part) => row.chat_id.includes(part));
  return {
    isEnough: members.isEnough,
    together: CHATS_TOGETHER,
    async keep(found: readonly ChatRow[]) {
      const kept: ChatRow[] = [];
      const named = await deps.chatNames.nameAll(tenantId, found);
      for (const [nth, chat] of named.entries())
        if (says(chat) || (chat.row.is_group === 1 && (await members.holds(chat.row.chat_id)))) kept.push(at(found, nth));
      return kept;
    },
  };
}
