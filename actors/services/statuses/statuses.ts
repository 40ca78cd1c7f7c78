import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { byCreation, type Page, type PageRead, type Reading, readPage } from '../../../store/paging/page.ts';
import { refusal } from '../../domain/refusals.ts';
import { STORIES } from '../../network/jid.ts';
import { subjectOf } from '../../network/subject.ts';

/** Manages statuses. Each status is a message in the `STORIES` chat. */

export interface StatusDeps {
  readonly messages: Pick<Messages, 'find' | 'list'>;
  readonly chats: Pick<Chats, 'list'>;
  readonly consents: Pick<Consents, 'statusOf'>;
}

export const SHOWN_MS = 86_400_000;
export const MAX_AUDIENCE = 1_000;

export interface Audience {
  readonly chats: readonly string[];
  readonly isShortened: boolean;
}

/** Fails without recipients, because the network would then not show the status at all. */
export async function audienceOf(deps: StatusDeps, device: DeviceRow, given: readonly string[] | null): Promise<Audience> {
  const all = given ?? (await peopleOf(deps, device));
  const people = [...new Set(all)].flatMap((chat) => (subjectOf(chat) === null ? [] : [{ chat, subject: subjectOf(chat) ?? '' }]));
  if (people.length === 0) throw refusal('VALIDATION_FAILED', { field: 'recipients', reason: NOBODY });
  const consent = await deps.consents.statusOf(
    device.tenant_id,
    people.map(({ subject }) => subject),
  );
  const chats = people.filter(({ subject }) => consent.get(subject) !== 'opted_out').map(({ chat }) => chat);
  if (chats.length === 0) throw refusal('RECIPIENT_OPTED_OUT');
  return { chats, isShortened: chats.length < people.length };
}

const NOBODY = {
  en: 'nobody would see this status: add people to recipients',
  id: 'tidak ada yang akan melihat status ini: isi recipients',
};

const CHATS_TOGETHER = 200;

async function peopleOf({ chats }: StatusDeps, { tenant_id, _id: session_id }: DeviceRow): Promise<readonly string[]> {
  const people: string[] = [];
  for (let page: Page = { limit: CHATS_TOGETHER, before: null, beforeId: null }; people.length < MAX_AUDIENCE; ) {
    const from = page;
    const found = await fairSlices.run(tenant_id, () => Array.fromAsync(chats.list(tenant_id, { session_id }, from)));
    people.push(...found.map(({ chat_id }) => chat_id));
    const last = found.at(-1);
    if (!last || found.length < CHATS_TOGETHER) break;
    page = { ...page, before: last.last_message_at, beforeId: last.id };
  }
  return people;
}

type Log = Pick<StatusDeps, 'messages'>;
type OfDevice = Pick<DeviceRow, '_id' | 'tenant_id'>;

export function statusesOf<E>(
  { messages }: Log,
  device: OfDevice,
  { page, now }: { readonly page: Page; readonly now: number },
  show: Reading<MessageRow, E>['show'],
): Promise<PageRead<E>> {
  // A status is queued for at most a day, then shown for a day, so it is at most two days old.
  const filter = { chat_id: STORIES, direction: 'outbound', since: now - 2 * SHOWN_MS + 1 } as const;
  return readPage<MessageRow, E>({
    owner: device.tenant_id,
    page,
    list: (from) => messages.list(device.tenant_id, device._id, filter, { ...from, now }),
    placeOf: byCreation,
    keep: (rows) => rows.filter((row) => isThere(row) && !isOver(row, now)),
    show,
  });
}

export async function statusOf({ messages }: Log, device: OfDevice, id: string, now: number): Promise<MessageRow> {
  const row = await messages.find(device.tenant_id, device._id, id);
  if (row?.chat_id !== STORIES || !isThere(row) || isOver(row, now)) throw refusal('NOT_FOUND');
  return row;
}

/** A status is shown for a day after the network has accepted it. */
const isOver = ({ sent_at, created_at }: MessageRow, now: number): boolean => (sent_at ?? created_at) <= now - SHOWN_MS;

const isThere = ({ status, message_type }: MessageRow): boolean =>
  status !== 'deleted' && status !== 'cancelled' && message_type !== 'reaction';
