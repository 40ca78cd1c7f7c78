import type { DeviceRow } from './devices.ts';
import type { LogFilter, MessageRow, Messages, Page } from './messages.ts';
import { type Keep, type PageRead, readPage } from './page.ts';

export interface LogQuestion {
  readonly filter: LogFilter;
  /** Part of the text, whatever its case. */
  readonly q: string | undefined;
  readonly page: Page;
  /** What the reader may see; null: everything. */
  readonly inSight?: Keep<MessageRow> | null;
}

/** A page of a device's log, newest first. A search, or a reader who may not see all, may get less than a page, or nothing, though more follow. */
export function logPage(
  messages: Messages,
  device: DeviceRow,
  { filter, q, page, inSight = null }: LogQuestion,
): Promise<PageRead<MessageRow>> {
  return readPage<MessageRow>({
    limit: page.limit,
    fetch: (after, limit) =>
      messages.list(
        device.tenant_id,
        device._id,
        filter,
        after ? { limit, before: after.created_at, beforeId: after._id } : { ...page, limit },
      ),
    keep: q === undefined ? inSight : saying(q.toLowerCase(), inSight),
  });
}

function saying(wanted: string, inSight: Keep<MessageRow> | null): Keep<MessageRow> {
  return (rows) => {
    const found = rows.filter(({ body }) => body?.toLowerCase().includes(wanted));
    return inSight ? inSight(found) : found;
  };
}
