import type { DeviceRow } from '../devices/devices.ts';
import type { Page } from '../paging/page.ts';
import { type Keep, type PageRead, readPage } from '../paging/page.ts';
import { type LogFilter, STORIES } from './log-filter.ts';
import type { MessageRow, Messages } from './messages.ts';

export interface LogQuestion {
  readonly filter: LogFilter;
  /** Part of the text, in any letter case. */
  readonly q: string | undefined;
  readonly page: Page;
  /** The entries that the reader may see; null: all. */
  readonly visible?: Keep<MessageRow> | null;
}

/** A page of a device's log, newest first. A search, or a reader who may not see all, may get less than a page, or nothing, though more follow. */
export function logPage(
  messages: Messages,
  device: DeviceRow,
  { filter, q, page, visible = null }: LogQuestion,
): Promise<PageRead<MessageRow>> {
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
    keep: q === undefined ? visible : saying(q.toLowerCase(), visible),
  });
}

function saying(wanted: string, visible: Keep<MessageRow> | null): Keep<MessageRow> {
  return (rows) => {
    const found = rows.filter(({ body }) => body?.toLowerCase().includes(wanted));
    return visible ? visible(found) : found;
  };
}
