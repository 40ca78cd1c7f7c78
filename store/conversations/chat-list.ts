import { merged } from '../paging/merged.ts';
import type { Page } from '../paging/page.ts';
import { walkedPage } from '../paging/walked-page.ts';
import type { Collection, Filter, Store } from '../port.ts';
import type { ChatRow, ChatStatus } from './chat-row.ts';

export interface ChatFilter {
  readonly session_id?: string;
  readonly session_ids?: readonly string[];
  readonly status?: ChatStatus;
  readonly agent_id?: string | null;
  readonly unread?: boolean;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly tag?: string;
  readonly snoozed?: boolean;
  readonly seenBy?: string;
}

export type ChatList = (tenantId: string, filter: ChatFilter, page: Page) => AsyncIterable<ChatRow>;

const NEWEST_FIRST = { last_message_at: -1, id: -1 } as const;
const PLACE = { last_message_at: 1, id: 1 } as const;

/** Reads in the index's order if an index covers the filter, and otherwise searches in steps. */
export function chatListIn(store: Store, chats: Collection<ChatRow>): ChatList {
  const find = (filter: Filter, limit: number): AsyncIterable<ChatRow> => chats.find(filter, { sort: NEWEST_FIRST, limit });

  function indexed(tenant_id: string, filter: ChatFilter, page: Page): AsyncIterable<ChatRow> {
    const held = conditions(heldApart(filter));
    const rest = Object.fromEntries(Object.entries(conditions(filter)).filter(([path]) => !Object.hasOwn(held, path)));
    if (Object.keys(rest).length === 0) return find({ tenant_id, ...held, ...olderThan(page) }, page.limit);
    return walkedPage({
      owner: tenant_id,
      page,
      since: null,
      placeOf: ({ last_message_at, id }) => ({ at: last_message_at, id }),
      async behind(from, skip) {
        const options = { sort: NEWEST_FIRST, skip, limit: 1, projection: PLACE };
        const [row] = await chats.find({ tenant_id, ...held, ...olderThan(from) }, options).toArray();
        return row ?? null;
      },
      // Reads the step's whole range, because conditions inside `$or` cannot use an index.
      read: (from, since) =>
        find(
          { tenant_id, ...held, $and: [olderThan(from), since === null ? {} : { last_message_at: { $gte: since } }, { $or: [rest] }] },
          from.limit,
        ),
    });
  }

  if (store.name !== 'embedded')
    return (tenant_id, filter, page) => find({ tenant_id, ...conditions(filter), ...olderThan(page) }, page.limit);
  return (tenant_id, filter, page) => {
    const lists = byAgent(filter).map((of) => indexed(tenant_id, of, page));
    const [only, ...others] = lists;
    return only && others.length === 0 ? only : merged(lists, newestFirst, page.limit);
  };
}

/** Returns one filter per agent, because an index orders the chats of a single agent only. */
function byAgent({ seenBy, session_ids, ...same }: ChatFilter): readonly ChatFilter[] {
  const [only, ...others] = session_ids ?? [];
  const sessions = only !== undefined && others.length === 0 ? { session_id: only } : session_ids && { session_ids };
  const asked: ChatFilter = { ...same, ...sessions };
  return seenBy === undefined ? [asked] : seenAgents(seenBy, same.agent_id).map((agent_id) => ({ ...asked, agent_id }));
}

/** Returns the part of the filter that one index covers, choosing the part with the fewest chats. */
function heldApart({ pinned, archived, status, unread, agent_id, session_id, snoozed }: ChatFilter): ChatFilter {
  const device = session_id === undefined ? {} : { session_id };
  if (pinned) return { pinned };
  if (archived) return { archived };
  if (status === 'pending' || (snoozed && status === undefined)) return { status: 'pending' };
  if (unread) return { unread, ...device };
  return agent_id === undefined ? device : { agent_id };
}

function conditions({ tag, unread, snoozed, seenBy, session_ids, ...same }: ChatFilter): Filter {
  return {
    ...same,
    ...(session_ids && { session_id: { $in: session_ids } }),
    ...(tag !== undefined && { tag_names: tag }),
    ...(snoozed !== undefined && { snoozed_until: snoozed ? { $gt: 0 } : null }),
    ...(unread !== undefined && { unread_count: unread ? { $gt: 0 } : 0 }),
    ...(seenBy !== undefined && { agent_id: { $in: seenAgents(seenBy, same.agent_id) } }),
  };
}

const seenAgents = (agentId: string, asked: string | null | undefined): readonly (string | null)[] =>
  [agentId, null].filter((id) => asked === undefined || id === asked);

function olderThan({ before, beforeId }: Page): Filter {
  if (before === null) return {};
  return {
    last_message_at: { $lte: before },
    $or: [{ last_message_at: { $lt: before } }, { id: { $lt: beforeId ?? '' } }],
  };
}

const newestFirst = (one: ChatRow, other: ChatRow): number => other.last_message_at - one.last_message_at || (one.id < other.id ? 1 : -1);
