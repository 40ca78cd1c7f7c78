import type { Page } from '../paging/page.ts';
import type { Filter } from '../port.ts';
import type { EntryType, MessageRow, StoredStatus } from './message-row.ts';

export interface LogFilter {
  readonly chat_id?: string;
  readonly direction?: 'inbound' | 'outbound';
  readonly status?: StoredStatus;
  readonly type?: EntryType;
  readonly net_id?: string;
  readonly since?: number;
  readonly until?: number;
}

export const newestFirst = (one: MessageRow, other: MessageRow): number =>
  other.created_at - one.created_at || (one._id < other._id ? 1 : -1);

/** The address of status posts. It is not a chat, and its rows never appear in the log. */
export const STORIES = 'status@broadcast';

type Span = Pick<LogFilter, 'until'> & { readonly since: number | null };

export function conditions({ chat_id, direction, status, type, net_id, ...span }: Omit<LogFilter, 'since'> & Span, page: Page): Filter {
  return {
    chat_id: chat_id ?? { $ne: STORIES },
    ...(direction !== undefined && { direction }),
    ...(status !== undefined && { status }),
    ...(type !== undefined && { message_type: type }),
    ...(net_id !== undefined && { net_id }),
    ...timeOf(span, page),
  };
}

/**
 * Merges two upper bounds into one. With both, a store might start at the later one and reread
 * earlier pages.
 */
function timeOf({ since, until }: Span, { before, beforeId }: Page): Filter {
  const from = since !== null && { $gte: since };
  if (before === null || (until !== undefined && until <= before)) {
    const written = { ...from, ...(until !== undefined && { $lt: until }) };
    return Object.keys(written).length > 0 ? { created_at: written } : {};
  }
  return {
    $and: [{ created_at: { ...from, $lte: before } }, { $or: [{ created_at: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] }],
  };
}
