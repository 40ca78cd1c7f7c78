import Joi from 'joi';
import { resolveChat, resolveNumber } from '../../actors/phone-numbers.ts';
import { refusal } from '../../actors/refusals.ts';
import type { Sending, SendOrder } from '../../actors/sending.ts';
import type { DeviceRow } from '../../store/devices.ts';
import { LANES, type LogFilter, type MessageParts, type Messages, type StoredStatus } from '../../store/messages.ts';
import { type Area, type Caller, rowsFor } from '../row.ts';
import {
  FullMessageSchema,
  MESSAGE_TYPES,
  MessageSchema,
  type SendBody,
  SendSchema,
  SentSchema,
  STATUSES,
  toFullMessage,
  toMessage,
} from './message-schemas.ts';
import { inSession, Ulid } from './session-schemas.ts';

export interface MessagesWorld {
  readonly messages: Messages;
  readonly sending: Sending;
}

const row = rowsFor<MessagesWorld>();

type LogQuery = Omit<LogFilter, 'status'> & { status?: StoredStatus; limit?: number; before?: number; before_id?: string };

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
      body: SendSchema,
      status: 202,
      returns: SentSchema,
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'CONFLICT', 'OVERLOADED'],
      async run({ messages, sending }, { caller, device, body, now }) {
        if (body.connect_only !== false && device.status !== 'connected')
          throw refusal('CONFLICT', { reason: { en: 'the device is not connected', id: 'perangkat tidak terhubung' } });
        const quotes = body.reply_to === undefined ? null : await quoted(messages, device, body.reply_to);
        return sending.accept(device, caller.plan, orderFrom(body, caller, quotes), now);
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
        type: Joi.string().valid(...MESSAGE_TYPES),
        since: Joi.number().integer().min(0),
        until: Joi.number().integer().min(0),
        limit: Joi.number().integer().min(1).max(200),
        before: Joi.number().integer().min(0),
        before_id: Ulid,
      }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({
        messages: Joi.array().items(MessageSchema).required(),
        next_before: Joi.number().integer().allow(null).required(),
        next_before_id: Joi.string().allow(null).required(),
      }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID'],
      async run({ messages }, { caller, device, query }) {
        const { limit = 50, before, before_id, chat_id, ...rest } = query;
        const filter = { ...rest, ...(chat_id !== undefined && { chat_id: resolveChat(chat_id, caller.callingCode) }) };
        const found = await messages.list(caller.tenantId, device._id, filter, {
          // One more than asked for tells whether this is the last page.
          limit: limit + 1,
          before: before ?? null,
          beforeId: before_id ?? null,
        });
        const shown = found.slice(0, limit);
        const last = found.length > limit ? shown.at(-1) : undefined;
        return { messages: shown.map(toMessage), next_before: last?.created_at ?? null, next_before_id: last?._id ?? null };
      },
    }),
    row({
      id: 'getMessage',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages/{messageId}',
      summary: 'One message, in full',
      access: 'bearer',
      params: inSession.keys({ messageId: Ulid.required() }),
      status: 200,
      returns: FullMessageSchema,
      async run({ messages }, { caller, device, params }) {
        const found = await messages.find(caller.tenantId, device._id, params.messageId);
        if (!found) throw refusal('NOT_FOUND');
        return toFullMessage(found);
      },
    }),
  ],
};

async function quoted(messages: Messages, device: DeviceRow, id: string): Promise<string> {
  const found = await messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND', { reason: 'reply_to' });
  return found.net_id;
}

function orderFrom(body: SendBody, caller: Caller, quotes: string | null): SendOrder {
  const chat = resolveChat(body.chat_id, body.country_code ?? caller.callingCode);
  return { chat, message_type: body.type, ...contentFrom(body, caller), quotes, lane: LANES.reply, priority: body.priority ?? 0 };
}

/** The type-to-field rule of spec.md SendMessageRequest. */
function contentFrom(body: SendBody, caller: Caller): { body: string | null; parts: MessageParts } {
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
  }
}

function needed<T>(value: T | undefined, field: string): T {
  if (value === undefined)
    throw refusal('VALIDATION_FAILED', { reason: { en: `${field} is required for this type`, id: `${field} wajib diisi untuk tipe ini` } });
  return value;
}
