import Joi from 'joi';
import { type ActingPorts, isOnTheNetwork } from '../../actors/acting.ts';
import type { ConsentCheck } from '../../actors/consent/check.ts';
import type { Filled } from '../../actors/crm/templates.ts';
import { type Accepted, keyFrom, sendOnce } from '../../actors/idempotency.ts';
import type { Sight } from '../../actors/inbox/sight.ts';
import { isMediaType } from '../../actors/media/types.ts';
import { resolveChat, resolveNumber } from '../../actors/phone-numbers.ts';
import { refusal } from '../../actors/refusals.ts';
import type { Sending, SendOrder } from '../../actors/sending.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { IdempotencyKeys } from '../../store/idempotency.ts';
import { logPage } from '../../store/message-log.ts';
import { LANES, type LogFilter, type MessageParts, type Messages } from '../../store/messages.ts';
import { type Area, type Caller, type Lang, rowsFor } from '../row.ts';
import { nextPage, paging, Timestamp } from '../schemas.ts';
import { canonicalChat, eyesOf, type PeopleWorld } from './inbox-schemas.ts';
import { inFull } from './message-acts.ts';
import { type AttachingWorld, attach } from './message-media.ts';
import {
  ENTRY_TYPES,
  FullMessageSchema,
  MessageSchema,
  type SendBody,
  SendSchema,
  SentSchema,
  STATUSES,
  toMessage,
} from './message-schemas.ts';
import { inSession, Ulid } from './session-schemas.ts';
import { type Warning, warningsFor } from './warnings.ts';

/** What it takes to make an order of a request. */
export interface OrderingWorld extends AttachingWorld, PeopleWorld {
  /** What a template says to a chat. Refuses NOT_FOUND, and VALIDATION_FAILED where that is nothing. */
  fillTemplate(tenantId: string, templateId: string, chat: string): Promise<Filled>;
  readonly messages: Messages;
  readonly sight: Sight;
}

export interface MessagesWorld extends OrderingWorld, Pick<ActingPorts, 'acts'> {
  readonly sending: Sending;
  readonly consentCheck: ConsentCheck;
  readonly idempotency: IdempotencyKeys;
}

const row = rowsFor<MessagesWorld>();

type LogQuery = LogFilter & { q?: string; limit: number; before?: number; before_id?: string };

export const messages: Area<MessagesWorld> = {
  name: 'messages',
  about: 'Sending and reading messages of a device',
  rows: [
    row({
      id: 'sendMessage',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages',
      summary: 'Send a message: stored durably before it is answered',
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: inSession,
      headers: ['idempotency-key'],
      body: SendSchema,
      status: 202,
      returns: SentSchema,
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'URL_BLOCKED', 'CONFLICT', 'RECIPIENT_OPTED_OUT', 'IDEMPOTENCY_KEY_REUSED', 'OVERLOADED'],
      async run(world, { caller, device, body, header, lang, now }) {
        const key = keyFrom(header('idempotency-key'));
        const asked = { caller, device, body, lang, now };
        if (key === undefined) return sendMessage(world, asked);
        return sendOnce(world, { key, device, request: body }, now, (id) => sendMessage(world, asked, id));
      },
    }),
    row({
      id: 'listMessages',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages',
      summary: 'The message log, newest first',
      access: 'bearer',
      params: inSession,
      query: Joi.object<LogQuery>({
        chat_id: Joi.string().max(64),
        direction: Joi.string().valid('inbound', 'outbound'),
        status: Joi.string().valid(...STATUSES),
        type: Joi.string().valid(...ENTRY_TYPES),
        q: Joi.string().min(1).max(200).description('Part of the text. A page may then hold fewer than `limit` though more follow'),
        since: Timestamp,
        until: Timestamp.description('Before it'),
        ...paging,
      }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ messages: Joi.array().items(MessageSchema).required(), ...nextPage }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID'],
      async run(world, { caller, device, query, now }) {
        const { messages, sight } = world;
        const { limit, before = null, before_id = null, chat_id, q, ...rest } = query;
        const filter = { ...rest, ...(chat_id !== undefined && { chat_id: await canonicalChat(world, caller, chat_id) }) };
        const { rows, next } = await logPage(messages, device, {
          filter,
          q,
          page: { limit, before, beforeId: before_id, now },
          inSight: sight.sieve(eyesOf(caller), device, ({ chat_id }) => chat_id),
        });
        return { messages: rows.map(toMessage), next_before: next?.created_at ?? null, next_before_id: next?._id ?? null };
      },
    }),
    row({
      id: 'getMessage',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages/{messageId}',
      summary: 'One message, in full, with the reactions that it has now',
      access: 'bearer',
      params: inSession.keys({ messageId: Ulid.required() }),
      status: 200,
      returns: FullMessageSchema,
      async run(world, { caller, device, params }) {
        const found = await world.messages.find(caller.tenantId, device._id, params.messageId);
        if (!found) throw refusal('NOT_FOUND');
        return inFull(world, found);
      },
    }),
  ],
};

/** Accepted, and what the sender should know of it. */
export interface Sent extends Accepted {
  readonly warnings?: readonly Warning[];
}

export interface AskedToSend {
  readonly caller: Caller;
  readonly device: DeviceRow;
  readonly body: SendBody;
  readonly now: number;
}

/** Sends what the body says, under `id` where one was chosen before. Refuses as POST /messages does. */
export async function sendMessage(world: MessagesWorld, asked: AskedToSend & { readonly lang: Lang }, id?: string): Promise<Sent> {
  const { caller, device, body, lang, now } = asked;
  if (body.connect_only !== false) expectConnected(device);
  const chat = resolveChat(body.chat_id, body.country_code ?? caller.callingCode);
  // Before anything is said of this person: who may not see the chat learns nothing of it.
  await world.sight.expectChat(eyesOf(caller), device, chat);
  const warnings = await warningsFor(world, device.tenant_id, chat, lang);
  const order = await orderFor(world, asked);
  return { ...(await world.sending.accept(device, caller.plan, id === undefined ? order : { ...order, id }, now)), ...warnings };
}

/** What the body says, with everything resolved and its file stored. Refuses as POST /messages does. */
export async function orderFor(world: OrderingWorld, { caller, device, now, ...asked }: AskedToSend): Promise<SendOrder> {
  const { messages, sight } = world;
  const body = await filled(world, caller, asked.body);
  // What can be wrong with the rest is found before anything is downloaded.
  const { chat, ...rest } = orderFrom(body, caller);
  const addressed = { ...rest, chat: await world.people.canonical(device.tenant_id, chat) };
  if (body.reply_to !== undefined) await sight.expectMessage(eyesOf(caller), device, body.reply_to);
  const quotes = body.reply_to === undefined ? null : await quoted(messages, device, body.reply_to, addressed.chat);
  await sight.expectChat(eyesOf(caller), device, addressed.chat);
  const content = isMediaType(body.type) ? await attach(world, device.tenant_id, body, now) : contentFrom(body, caller);
  return { ...addressed, quotes, ...content, parts: { ...content.parts, ...addressed.parts } };
}

/** What the body says once its template is in it. */
async function filled(world: OrderingWorld, { tenantId, callingCode }: Caller, body: SendBody): Promise<SendBody> {
  const { template_id, ...rest } = body;
  if (template_id === undefined) return body;
  const own = rest.body ?? rest.caption ?? rest.media_r2_key ?? rest.url;
  const from = await world.fillTemplate(tenantId, template_id, resolveChat(body.chat_id, body.country_code ?? callingCode));
  if (own !== undefined || from.type !== body.type) throw refusal('VALIDATION_FAILED', { reason: IN_PLACE });
  return { ...rest, ...from };
}

const IN_PLACE = {
  en: 'template_id takes the place of body, caption and file, and type is that of the template',
  id: 'template_id menggantikan body, caption dan berkas, dan type harus sama dengan templat',
};

/** Refuses CONFLICT while the device is not connected (`connect_only`). */
export function expectConnected({ status }: DeviceRow): void {
  if (status !== 'connected') throw refusal('CONFLICT', { reason: { en: 'the device is not connected', id: 'perangkat tidak terhubung' } });
}

/** The network id of a message that can be quoted in this chat: the phones of both sides must have it. */
async function quoted(messages: Messages, device: DeviceRow, id: string, chat: string): Promise<string> {
  const found = await messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND', { reason: 'reply_to' });
  if (found.chat_id === chat && found.message_type !== 'reaction' && isOnTheNetwork(found)) return found.net_id;
  throw refusal('VALIDATION_FAILED', { reason: UNQUOTABLE });
}

const UNQUOTABLE = {
  en: 'reply_to must be a message of the same chat that has reached the network',
  id: 'reply_to harus berupa pesan dari chat yang sama yang sudah sampai di jaringan',
};

type OrderedContent = Pick<SendOrder, 'body' | 'parts' | 'media_r2_key'>;

function orderFrom(body: SendBody, caller: Caller): Omit<SendOrder, 'body' | 'quotes'> {
  const callingCode = body.country_code ?? caller.callingCode;
  return {
    chat: resolveChat(body.chat_id, callingCode),
    message_type: body.type,
    parts: marksFrom(body, callingCode),
    lane: LANES.reply,
    priority: body.priority ?? 0,
    ...(body.expires_at !== undefined && { expiresAt: body.expires_at }),
  };
}

function marksFrom({ mentions, link_preview }: SendBody, callingCode: string): MessageParts {
  return {
    ...(mentions && { mentions: mentions.map((who) => resolveChat(who, callingCode)) }),
    ...(link_preview !== undefined && { link_preview }),
  };
}

/** The type-to-field rule of spec.md SendMessageRequest, of types without a file. */
function contentFrom(body: SendBody, caller: Caller): OrderedContent {
  switch (body.type) {
    case 'text':
      return { body: needed(body.body, 'body'), parts: {} };
    case 'location':
      return { body: null, parts: { location: needed(body.location, 'location') } };
    case 'contact': {
      const { name, phone } = needed(body.contact, 'contact');
      return { body: name, parts: { contact: { name, phone: resolveNumber(phone, body.country_code ?? caller.callingCode) } } };
    }
    case 'poll': {
      const name = needed(body.poll_name, 'poll_name');
      return { body: name, parts: { poll: { name, choices: needed(body.choices, 'choices') } } };
    }
    default:
      throw new Error(`${body.type} carries a file`);
  }
}

function needed<T>(value: T | undefined, field: string): T {
  if (value === undefined)
    throw refusal('VALIDATION_FAILED', { reason: { en: `${field} is required for this type`, id: `${field} wajib diisi untuk tipe ini` } });
  return value;
}
