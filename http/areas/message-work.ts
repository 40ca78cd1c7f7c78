import Joi from 'joi';
import { isMediaType } from '../../actors/media/types.ts';
import { type RecallPorts, recallOne } from '../../actors/recall.ts';
import { refusal } from '../../actors/refusals.ts';
import { type RetryPorts, retry } from '../../actors/retrying.ts';
import type { SendOrder } from '../../actors/sending.ts';
import { LANES, type MessageRow } from '../../store/messages.ts';
import { type IsStoreDown, toWire } from '../errors.ts';
import { type Area, type Call, type Lang, rowsFor } from '../row.ts';
import { canonicalChat, eyesOf } from './inbox-schemas.ts';
import { FullMessageSchema, type SendBody, SendSchema, SentSchema, toFullMessage } from './message-schemas.ts';
import { expectConnected, type MessagesWorld, sendMessage } from './messages.ts';
import { inSession, Ulid } from './session-schemas.ts';
import { warningsFor } from './warnings.ts';

export interface MessageWorkWorld extends MessagesWorld, RecallPorts, RetryPorts {
  readonly sending: MessagesWorld['sending'];
  readonly isStoreDown: IsStoreDown;
}

const Refused = Joi.object({ error: Joi.string().required(), code: Joi.string().required() }).meta({ title: 'Refused' });

const row = rowsFor<MessageWorkWorld>();
const atMessage = inSession.keys({ messageId: Ulid.required() });
const MOST_MESSAGES = 100;

/** What can be done with messages beyond sending one and reading them. */
export const messageWork: Area<MessageWorkWorld> = {
  name: 'message work',
  about: 'Messages in bulk, and what can be done with one that was sent',
  rows: [
    row({
      id: 'sendMessages',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/bulk',
      summary: 'Send up to 100 messages; each is accepted or refused for itself',
      access: 'bearer',
      scope: 'send',
      limit: 'bulk',
      params: inSession,
      body: Joi.object<{ messages: SendBody[] }>({ messages: Joi.array().items(SendSchema).min(1).max(MOST_MESSAGES).required() }),
      maxKeys: 30_000,
      status: 202,
      returns: Joi.object({ results: Joi.array().items(SentSchema, Refused).required() }),
      async run(world, { caller, device, body, lang, now }) {
        const results = body.messages.map((one) =>
          sendMessage(world, { caller, device, body: one, lang, now }).catch((cause) => refused(world, cause, lang)),
        );
        return { results: await Promise.all(results) };
      },
    }),
    row({
      id: 'retryMessage',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/retry',
      summary: "Queue a failed message again under the network's id that it has: it never arrives twice",
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: atMessage,
      status: 202,
      returns: FullMessageSchema.keys({ warnings: SentSchema.extract('warnings') }),
      refuses: ['CONFLICT', 'RECIPIENT_OPTED_OUT'],
      run: retryOne,
    }),
    row({
      id: 'cancelMessage',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/cancel',
      summary: 'Cancel a message that still waits; its quota is given back',
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: atMessage,
      status: 200,
      returns: FullMessageSchema,
      refuses: ['CONFLICT'],
      run: async (world, { device, params }) => toFullMessage(await recallOne(world, device, params.messageId)),
    }),
    row({
      id: 'forwardMessage',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/forward',
      summary: 'Send what a message says to another chat',
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: atMessage,
      body: Joi.object<{ chat_id: string }>({ chat_id: SendSchema.extract('chat_id') }),
      status: 202,
      returns: SentSchema,
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'CONFLICT', 'RECIPIENT_OPTED_OUT', 'OVERLOADED'],
      run: forward,
    }),
  ],
};

/** What a caller of its own would have been answered; a bug stays one and fails the whole. */
function refused({ isStoreDown }: MessageWorkWorld, cause: unknown, lang: Lang): { error: string; code: string } {
  const { body } = toWire(cause, lang, isStoreDown);
  if (body.code === 'INTERNAL') throw cause;
  return { error: body.error, code: body.code };
}

type Forwarding = Call<{ messageId: string }, unknown, { chat_id: string }>;

async function retryOne(world: MessageWorkWorld, { caller, device, params, lang, now }: Call<{ messageId: string }, unknown, unknown>) {
  const found = await world.messages.find(caller.tenantId, device._id, params.messageId);
  const warnings = found && (await warningsFor(world, caller.tenantId, found.chat_id, lang));
  return { ...toFullMessage(await retry(world, device, caller.plan, params.messageId, now)), ...warnings };
}

async function forward(world: MessageWorkWorld, { caller, device, params, body, lang, now }: Forwarding) {
  const { messages, sending, sight, media } = world;
  const found = await messages.find(caller.tenantId, device._id, params.messageId);
  if (!found || found.status === 'deleted') throw refusal('NOT_FOUND');
  expectConnected(device);
  const chat = await canonicalChat(world, caller, body.chat_id);
  await sight.expectChat(eyesOf(caller), device, chat);
  const warnings = await warningsFor(world, caller.tenantId, chat, lang);
  const copy = copyOf(found, chat);
  if (copy.media_r2_key !== undefined) await media.use(caller.tenantId, copy.media_r2_key);
  return { ...(await sending.accept(device, caller.plan, copy, now)), ...warnings };
}

function copyOf({ message_type, body, parts, media_r2_key }: MessageRow, chat: string): SendOrder {
  // An inbound file that could not be fetched.
  if (message_type === 'reaction') throw refusal('CONFLICT', { reason: message_type });
  if (isMediaType(message_type) && media_r2_key === null) throw refusal('CONFLICT', { reason: message_type });
  return { chat, message_type, body, parts, ...(media_r2_key && { media_r2_key }), quotes: null, lane: LANES.reply, priority: 0 };
}
