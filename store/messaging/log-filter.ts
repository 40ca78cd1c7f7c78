import type { Page } from '../paging/page.ts';
import type { Filter } from '../port.ts';
import type { EntryType, MessageRow, StoredStatus } from './message-row.ts';

/** The entries of the message log that a caller asks for. `since` and `until`: epoch ms. */
export interface LogFilter {
  readonly chat_id?: string;
  readonly direction?: 'inbound' | 'outbound';
  readonly status?: StoredStatus;
  readonly type?: EntryType;
  readonly since?: number;
  readonly until?: number;
}

/** Of several lists, the newest rows. */
export const newest = (rows: readonly MessageRow[], limit: number): MessageRow[] =>
  rows.toSorted((a, b) => b.created_at - a.created_at || (a._id < b._id ? 1 : -1)).slice(0, limit);

/** Where status stories go to and come from: no chat, and none of its rows an entry of the log. */
export const STORIES = 'status@broadcast';

/** The filter of one page of the log. */
export function conditions(filter: Omit<LogFilter, 'since'> & { readonly since: number | null }, page: Page): Filter {
  const { chat_id, direction, status, type, since, until } = filter;
  const written = { ...(since !== null && { $gte: since }), ...(until !== undefined && { $lt: until }) };
  return {
    chat_id: chat_id ?? { $ne: STORIES },
    ...(direction !== undefined && { direction }),
    ...(status !== undefined && { status }),
    ...(type !== undefined && { message_type: type }),
    ...(page.before === null && Object.keys(written).length > 0 && { created_at: written }),
    ...(page.before !== null && {
      $and: [
        { created_at: { ...written, $lte: page.before } },
        { $or: [{ created_at: { $lt: page.before } }, { _id: { $lt: page.beforeId ?? '' } }] },
      ],
    }),
  };
}
