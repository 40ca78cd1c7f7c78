import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import { codeOf } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import type { ChatPatch, ChatRow, Chats } from '../../../store/conversations/chats.ts';
import type { DueChats } from '../../../store/conversations/due-chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { DeviceCommand } from '../../device/protocol.ts';
import { refusal } from '../../domain/refusals.ts';
import type { OlderAnswer } from '../../network/history.ts';
import type { Released } from '../../tenant/protocol.ts';
import type { EventLog } from '../events/event-log.ts';
import { person } from '../events/message-events.ts';
import { networkId } from '../messaging/sending.ts';

/**
 * Requests a chat's older messages from its phone. Only one request per chat can be open, and ten
 * per device. The request is stored in the chat's row before it goes to the phone. Each outcome,
 * and each late response, is published as `history.loaded`. This event is recorded exactly once,
 * because it is recorded under the request's id before the request is closed.
 */

export interface OlderMessageDeps {
  readonly chats: Pick<Chats, 'change'>;
  readonly messages: Pick<Messages, 'oldest'>;
  readonly olderRequests: Pick<DueChats, 'ofDevice'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

const ANSWERED_WITHIN_MS = 60_000;
const MOST_OF_DEVICE = 10;
/** Includes the time in the device's queue and the 15 s after which the network times out. */
const PATIENCE_MS = 28_000;

const LOST: ReadonlySet<unknown> = new Set(['DEVICE_TIMEOUT', 'TIMED_OUT', 'UNAVAILABLE']);

const NOTHING_TO_START_FROM = {
  en: 'this chat has no message yet, so there is nothing older to request from the phone',
  id: 'percakapan ini belum punya pesan, jadi tidak ada pesan lebih lama yang dapat diminta dari ponsel',
};

/** Fails with RATE_LIMITED if the chat already has an open request, or the device has ten. */
export async function loadOlder(
  deps: OlderMessageDeps,
  device: DeviceRow,
  chat: ChatRow,
  { count, now, opened }: { readonly count: number; readonly now: number; opened(): Promise<void> },
): Promise<void> {
  const oldest = await deps.messages.oldest(chat.tenant_id, chat.session_id, chat.chat_id);
  if (!oldest?.net_id) throw refusal('CONFLICT', { reason: NOTHING_TO_START_FROM });
  const request = networkId(device.secret, newId(now), now);
  await reserve(deps, chat, request, now);
  await opened();
  const from = oldest.direction === 'outbound' ? null : (oldest.sender_lid ?? oldest.sender);
  const before = { netId: oldest.net_id, from, at: oldest.created_at };
  const question = { name: 'history.older', input: { request, chat: chat.chat_id, before, count } } as const;
  try {
    await deps.device(device).ask({ type: 'question', question }, PATIENCE_MS);
  } catch (cause) {
    // If only the response was lost, the phone may still answer, so the request stays open.
    if (!LOST.has(codeOf(cause))) await close(deps, chat, request);
    throw cause;
  }
}

/** Stores the request before counting open ones, so that concurrent requests keep the limit. */
async function reserve(deps: OlderMessageDeps, chat: ChatRow, request: string, now: number): Promise<void> {
  const until = now + ANSWERED_WITHIN_MS;
  const row = await change(deps, chat, (is) =>
    typeof is.older_until === 'number' ? null : { older_request: request, older_until: until },
  );
  if (!row) throw refusal('NOT_FOUND');
  if (row.older_request !== request) throw refusal('RATE_LIMITED', { retryAfterMs: Math.max(1_000, (row.older_until ?? now) - now) });
  const open = await deps.olderRequests.ofDevice(chat.tenant_id, chat.session_id, MOST_OF_DEVICE + 1);
  if (open.length <= MOST_OF_DEVICE) return;
  await close(deps, chat, request);
  throw refusal('RATE_LIMITED', { retryAfterMs: ANSWERED_WITHIN_MS });
}

const change = ({ chats }: Pick<OlderMessageDeps, 'chats'>, chat: ChatRow, decide: (row: ChatRow) => ChatPatch | null) =>
  chats.change(chat.tenant_id, chat.session_id, chat.chat_id, decide);

const close = (deps: Pick<OlderMessageDeps, 'chats'>, chat: ChatRow, request: string) =>
  change(deps, chat, (is) => (is.older_request === request ? { older_request: null, older_until: null } : null));

export interface OlderEndDeps {
  readonly chats: Pick<Chats, 'change'>;
  readonly olderRequests: Pick<DueChats, 'ofDevice'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  now(): number;
}

export interface Loaded extends OlderAnswer {
  readonly count: number;
  readonly chat: string | null;
}

export function olderLoaded(deps: OlderEndDeps) {
  return async ({ tenantId, sessionId }: Owner, { request, more, count, chat }: Loaded): Promise<void> => {
    const open = await deps.olderRequests.ofDevice(tenantId, sessionId, MOST_OF_DEVICE + 1);
    const asked = open.find(({ older_request }) => older_request === request);
    const chat_id = asked?.chat_id ?? chat;
    if (chat_id === null) return;
    await tell(deps.eventLog, { tenant_id: tenantId, session_id: sessionId, chat_id }, request, { count, more, error: null }, deps.now());
    if (asked) await close(deps, asked, request);
  };
}

const BATCH_SIZE = 100;

export async function endUnanswered(
  {
    chats,
    olderRequests,
    eventLog,
  }: Pick<OlderEndDeps, 'chats' | 'eventLog'> & { readonly olderRequests: Pick<DueChats, 'due' | 'nextDue'> },
  tenantId: string,
  now: number,
): Promise<Released> {
  const rows = await olderRequests.due(tenantId, now, BATCH_SIZE);
  for (const row of rows) {
    const request = row.older_request ?? '';
    await tell(eventLog, row, `${request} unanswered`, { count: 0, more: null, error: 'phone_offline' }, now);
    await close({ chats }, row, request);
  }
  return { more: rows.length === BATCH_SIZE, nextAt: await olderRequests.nextDue(tenantId) };
}

interface End {
  readonly count: number;
  readonly more: boolean | null;
  readonly error: 'phone_offline' | null;
}

const tell = (
  eventLog: Pick<EventLog, 'record'>,
  { tenant_id, session_id, chat_id }: Pick<ChatRow, 'tenant_id' | 'session_id' | 'chat_id'>,
  named: string,
  end: End,
  now: number,
): Promise<unknown> =>
  eventLog.record(tenant_id, [
    { session_id, type: 'history.loaded', row: `history ${session_id} ${named}`, occurred_at: now, data: { ...person(chat_id), ...end } },
  ]);
