import type { DeviceRow } from '../devices/devices.ts';
import { byCreation, type Keep, type Page, type PageRead, type Reading, readPage } from '../paging/page.ts';
import { type LogFilter, STORIES } from './log-filter.ts';
import type { MessageRow, Messages } from './messages.ts';

const ENTRIES_TOGETHER = 50;

export interface LogQuestion<E> {
  readonly filter: LogFilter;
  readonly page: Page;
  readonly keep: Keep<MessageRow> | null;
  readonly show: Reading<MessageRow, E>['show'];
}

/** With `keep`, a page may be short or empty even if more messages follow. */
export function logPage<E>(messages: Messages, device: DeviceRow, { filter, page, keep, show }: LogQuestion<E>): Promise<PageRead<E>> {
  if (filter.chat_id === STORIES) return Promise.resolve({ entries: [], next: null });
  return readPage<MessageRow, E>({
    owner: device.tenant_id,
    page,
    list: (from) => messages.list(device.tenant_id, device._id, filter, from),
    placeOf: byCreation,
    keep,
    show,
    together: ENTRIES_TOGETHER,
  });
}
