import Joi from 'joi';
import { timeSlicer } from '../../../actors/services/contacts/time-slicer.ts';
import { type LogNameDeps, searchLog, withSenders } from '../../../actors/services/conversations/log-names.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { LogFilter } from '../../../store/messaging/log-filter.ts';
import { logPage } from '../../../store/messaging/message-log.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import type { Keep, Page } from '../../../store/paging/page.ts';
import { nextOf } from '../../core/paging.ts';
import { type AsideServices, asides, type Reader } from './asides.ts';
import { toMessage } from './schemas.ts';

export interface LogServices extends LogNameDeps, AsideServices {
  readonly messages: Messages;
}

export const LogSearch = Joi.string()
  .min(1)
  .max(200)
  .description(
    'Part of the text, the name of the chat or the name of the writer. A page may then have fewer entries than `limit` although more follow',
  );

interface LogReading {
  readonly filter: LogFilter;
  readonly q: string | undefined;
  readonly page: Page;
  readonly visible: Keep<MessageRow> | null;
  readonly reader: Reader;
}

/** Fails with OVERLOADED if too many searches are running. */
export async function readLog(services: LogServices, device: DeviceRow, { filter, q, page, visible, reader }: LogReading) {
  const { messages, persons } = services;
  const show = async (rows: readonly MessageRow[]) => {
    const [named, asideOf] = await Promise.all([withSenders(persons, device.tenant_id, rows), asides(services, device, rows, reader)]);
    return named.map((row) => toMessage(row, asideOf(row)));
  };
  const read = (keep: Keep<MessageRow> | null) => logPage(messages, device, { filter, page, keep, show });
  const { entries, next } =
    q === undefined ? await read(visible) : await timeSlicer.during(device.tenant_id, () => read(searchLog(services, device, q, visible)));
  return { messages: entries, ...nextOf(next) };
}
