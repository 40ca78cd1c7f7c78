import type { DeviceRow } from '../devices/devices.ts';
import type { Page } from '../paging/page.ts';
import { type Keep, type PageRead, readPage } from '../paging/page.ts';
import { type LogFilter, STORIES } from './log-filter.ts';
import type { MessageRow, Messages } from './messages.ts';

/** Each may be of another chat and writer, whose names a search looks up in the same turn. */
const ENTRIES_TOGETHER = 50;

export interface LogQuestion {
  readonly filter: LogFilter;
  readonly page: Page;
  /** The entries that belong to the answer, as far as no index knows; null: all. */
  readonly keep: Keep<MessageRow> | null;
}

/** A page of a device's log, newest first. With `keep` it may hold less than a page, or nothing, though more follow. */
export function logPage(messages: Messages, device: DeviceRow, { filter, page, keep }: LogQuestion): Promise<PageRead<MessageRow>> {
  if (filter.chat_id === STORIES) return Promise.resolve({ rows: [], next: null });
  return readPage<MessageRow>({
    owner: device.tenant_id,
    limit: page.limit,
    fetch: (after, limit) =>
      messages.list(
        device.tenant_id,
        device._id,
        filter,
        after ? { limit, before: after.created_at, beforeId: after._id } : { ...page, limit },
      ),
    keep,
    together: ENTRIES_TOGETHER,
  });
}
