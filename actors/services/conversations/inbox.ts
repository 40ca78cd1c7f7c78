import { at } from '../../../runtime/invariant.ts';
import type { ChatFilter, ChatRow, Chats } from '../../../store/conversations/chats.ts';
import { type Page, type PageRead, type Reading, readPage } from '../../../store/paging/page.ts';
import type { ChatNames, NamedChat } from './chat-names.ts';
import { type MemberDeps, searchMembers } from './members-named.ts';

export interface InboxQuestion {
  readonly filter: ChatFilter;
  /** Part of a name, of a member's name, the address or the last message, whatever its case. */
  readonly q: string | undefined;
  /** Digits that the address may have instead. */
  readonly parts: readonly string[];
  readonly page: Page;
}

export interface InboxDeps extends MemberDeps {
  readonly chats: Pick<Chats, 'list'>;
  readonly chatNames: ChatNames;
}

/** Each of them may be a group of a thousand. */
const CHATS_TOGETHER = 50;

/** A page of chats under their names, newest first. A search may give less than a page, or nothing, though more follow. */
export async function inboxPage(deps: InboxDeps, tenantId: string, { filter, q, parts, page }: InboxQuestion): Promise<PageRead<ChatRow>> {
  const { chats, chatNames } = deps;
  const { rows, next } = await readPage<ChatRow>({
    owner: tenantId,
    limit: page.limit,
    fetch: (after, limit) =>
      chats.list(tenantId, filter, after ? { limit, before: after.last_message_at, beforeId: after.id } : { ...page, limit }),
    ...(q === undefined ? { keep: null } : searching(deps, tenantId, q.toLowerCase(), parts)),
  });
  return { rows: (await chatNames.nameAll(tenantId, rows)).map(({ row }) => row), next };
}

function searching(
  deps: InboxDeps,
  tenantId: string,
  wanted: string,
  parts: readonly string[],
): Pick<Reading<ChatRow>, 'keep' | 'isEnough' | 'together'> {
  const members = searchMembers(deps, tenantId, wanted);
  const says = ({ row, names }: NamedChat): boolean =>
    [...names, row.chat_id, row.last_message].some((one) => one?.toLowerCase().includes(wanted)) ||
    parts.some((part) => row.chat_id.includes(part));
  return {
    isEnough: members.isEnough,
    together: CHATS_TOGETHER,
    async keep(found) {
      const kept: ChatRow[] = [];
      const named = await deps.chatNames.nameAll(tenantId, found);
      for (const [nth, chat] of named.entries())
        if (says(chat) || (chat.row.is_group === 1 && (await members.holds(chat.row.chat_id)))) kept.push(at(found, nth));
      return kept;
    },
  };
}
