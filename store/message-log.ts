import type { DeviceRow } from './devices.ts';
import type { LogFilter, MessageRow, Messages, Page } from './messages.ts';

export interface LogQuestion {
  readonly filter: LogFilter;
  /** Part of the text, whatever its case. */
  readonly q: string | undefined;
  readonly page: Page;
}

export interface LogPage {
  readonly rows: readonly MessageRow[];
  /** The page after begins behind it; null: this was the last. */
  readonly next: MessageRow | null;
}

const LOOKED_AT_TOGETHER = 200;
/** No index finds a part of a text: a search looks at so many messages a page, so that none takes long. */
const LOOKED_AT_A_PAGE = 4_000;

/** A page of a device's log, newest first. A search may give less than a page, or nothing, though more follow. */
export async function logPage(messages: Messages, device: DeviceRow, { filter, q, page }: LogQuestion): Promise<LogPage> {
  if (q !== undefined) return search(messages, device, { filter, q, page });
  // One more than asked for tells whether this is the last page.
  const found = await messages.list(device.tenant_id, device._id, filter, { ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  return { rows, next: found.length > page.limit ? (rows.at(-1) ?? null) : null };
}

async function search(messages: Messages, device: DeviceRow, { filter, q, page }: LogQuestion & { q: string }): Promise<LogPage> {
  const wanted = q.toLowerCase();
  const rows: MessageRow[] = [];
  let at: Page = { ...page, limit: LOOKED_AT_TOGETHER };
  for (let looked = 0; ; looked += LOOKED_AT_TOGETHER) {
    const found = await messages.list(device.tenant_id, device._id, filter, at);
    for (const row of found) {
      if (row.body?.toLowerCase().includes(wanted)) rows.push(row);
      if (rows.length === page.limit) return { rows, next: row };
    }
    const last = found.at(-1);
    if (!last || found.length < LOOKED_AT_TOGETHER) return { rows, next: null };
    if (looked + LOOKED_AT_TOGETHER >= LOOKED_AT_A_PAGE) return { rows, next: last };
    at = { ...at, before: last.created_at, beforeId: last._id };
  }
}
