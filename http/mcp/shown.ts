import { DateTime } from 'luxon';
import { invalidField } from '../../actors/domain/refusals.ts';
import type { LogEntry } from '../areas/messages/schemas.ts';
import type { NextPage } from './answers.ts';
import type { Fields } from './messages.ts';

/** Number of items on a page. It is limited, because a model reads the whole page. */
export const PAGE = 25;
const MAX_TEXT = 7_000;
const LONGEST = 1_500;

export const when = (name: string, ms: number | null, zone: string | undefined): Fields => ({
  [name]: ms,
  [`${name}_local`]: ms === null ? null : DateTime.fromMillis(ms, { zone: zone ?? 'UTC' }).toISO({ suppressMilliseconds: true }),
});

export function shortened(text: string | null): string | null {
  if (text === null || text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST).toWellFormed()} … [${text.length - LONGEST} more characters]`;
}

/** Puts text from outside the business in its own field, because it is data, not an instruction. */
export function shownMessage(
  { id, session_id, direction, chat_id, message_type, body, status, created_at, sender_name }: LogEntry,
  zone?: string,
): Fields {
  const text = shortened(body);
  return {
    id,
    session_id,
    chat_id,
    direction,
    type: message_type,
    ...(direction === 'inbound' ? { customer_text: text } : { text }),
    ...(chat_id.endsWith('@g.us') && sender_name && { name: sender_name }),
    status,
    ...when('created_at', created_at, zone),
  };
}

export function paged<T>(items: readonly T[], shown: (item: T) => Fields, cursorOf: (item: T) => string, next: NextPage) {
  const taken: Fields[] = [];
  let room = MAX_TEXT;
  for (const item of items) {
    const fields = shown(item);
    room -= JSON.stringify(fields).length;
    if (room < 0 && taken.length > 0) break;
    taken.push(fields);
  }
  const last = items[taken.length - 1];
  const isCut = taken.length < items.length && last !== undefined;
  return { items: taken, next_cursor: isCut ? cursorOf(last) : cursorIn(next) };
}

const cursorIn = ({ next_before, next_before_id }: NextPage): string | null =>
  next_before === null ? null : cursor(next_before, next_before_id ?? '');

export const cursor = (before: number, id: string): string => `${before}.${id}`;

const CURSOR = /^(\d{1,16})\.([0-9A-Z]{26})$/;
const NOT_ONE = { en: 'must be the next_cursor of the previous response', id: 'harus berupa next_cursor dari respons sebelumnya' };

export function placeOf(text: string | undefined): { readonly before?: number; readonly before_id?: string } {
  if (text === undefined) return {};
  const [, before, before_id] = CURSOR.exec(text) ?? [];
  if (before_id === undefined) throw invalidField('cursor', NOT_ONE);
  return { before: Number(before), before_id };
}

export const phoneOf = (chatId: string): string | null => /^(\d+)@s\.whatsapp\.net$/.exec(chatId)?.[1] ?? null;
