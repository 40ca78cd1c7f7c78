import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { MAX_TEXT_LENGTH } from '../../../actors/domain/text-tokens.ts';
import type { Presence } from '../../../actors/network/port.ts';
import { person } from '../../../actors/services/events/message-events.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import { type CancelDeps, eraseHere } from '../../../actors/services/messaging/cancel.ts';
import {
  type ActionRequest,
  type MessageActionServiceDeps,
  reactionsTo,
  requestMessageAction,
} from '../../../actors/services/messaging/message-actions.ts';
import { countVotes, type PollDeps } from '../../../actors/services/messaging/polls.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import type { VoteRow } from '../../../store/messaging/poll-votes.ts';
import { type Area, type DeviceCall, rowsFor } from '../../core/row.ts';
import { Done, Ulid } from '../../core/schemas.ts';
import { inChat, inSession, resolveChatOf } from '../params.ts';
import { CHANGES_MESSAGE, messageAt, messageToChange } from './access.ts';
import { type AsideServices, asides, type Reader } from './asides.ts';
import { type FullEntry, FullMessageSchema, toFullMessage } from './schemas.ts';

export interface MessageActsServices extends MessageActionServiceDeps, PollDeps, CancelDeps, Omit<AsideServices, 'messages'> {
  readonly numbers: NumberReader;
  readonly messages: Messages;
}

const row = rowsFor<MessageActsServices>();
const atMessage = inSession.keys({ messageId: Ulid.required() });
const MESSAGE = '/v1/sessions/{sessionId}/messages/{messageId}';
const refuses = ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'] as const;
const UNDER_WAY = 'After DEVICE_TIMEOUT the change is still in progress and happens once the network accepts it';

const ONE_EMOJI = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}\p{Emoji_Modifier}?\u{FE0F}?)$/v;
const Emoji = Joi.string()
  .allow('')
  .max(32)
  .custom((text: string, { error }) => (ONE_EMOJI.test(text) ? text : error('any.invalid')))
  .description('One emoji, or an empty text to remove the reaction')
  .example('👍');

const Voter = Joi.object({
  chat_id: Joi.string().required().example('6281234567890@s.whatsapp.net'),
  phone: Joi.string().allow(null).required().example('6281234567890'),
  lid: Joi.string().allow(null).required(),
  name: Joi.string().allow(null, '').required(),
  at: Joi.number().integer().required(),
});

export const messageActs: Area<MessageActsServices> = {
  name: 'message acts',
  about: 'Edit, delete and react to messages on the network, read poll votes, show a typing indicator',
  rows: [
    row({
      id: 'editMessage',
      method: 'PATCH',
      path: MESSAGE,
      summary: 'Edit a message',
      about: `Edit the text of a sent message on every phone. CONFLICT unless the message is a text that reached the network. ${UNDER_WAY}`,
      access: 'bearer',
      ...CHANGES_MESSAGE,
      params: atMessage,
      body: Joi.object<{ body: string }>({ body: Joi.string().min(1).max(MAX_TEXT_LENGTH).required().example('We open at 9, not at 8') }),
      status: 200,
      returns: FullMessageSchema,
      refuses,
      run: (services, call) => acted(services, call, { kind: 'edit', value: call.body.body }),
    }),
    row({
      id: 'deleteMessage',
      method: 'DELETE',
      path: MESSAGE,
      summary: 'Delete a message',
      stepUp: { none: 'one message, as on the phone' },
      about: `Delete a sent message for everyone. A received message or a reaction is deleted only here. The log keeps an empty entry. A waiting message is cancelled first. CONFLICT if the message is being sent right now or is already deleted. ${UNDER_WAY}`,
      access: 'bearer',
      ...CHANGES_MESSAGE,
      params: atMessage,
      status: 200,
      returns: Done,
      refuses,
      async run(services, call) {
        const { device, params, now } = call;
        await messageToChange(services, call);
        const isErased = await eraseHere(services, device, params.messageId, now);
        if (!isErased) await requestMessageAction(services, device, params.messageId, { kind: 'erase', value: '' }, now);
        return { ok: true as const };
      },
    }),
    row({
      id: 'reactToMessage',
      method: 'POST',
      path: `${MESSAGE}/reaction`,
      summary: 'React to a message',
      about: `React to a sent or received message; an empty emoji removes the reaction. ${UNDER_WAY}`,
      access: 'bearer',
      ...CHANGES_MESSAGE,
      params: atMessage,
      body: Joi.object<{ emoji: string }>({ emoji: Emoji.required() }),
      status: 200,
      returns: FullMessageSchema,
      refuses,
      run: (services, call) => acted(services, call, { kind: 'react', value: call.body.emoji }),
    }),
    row({
      id: 'getVotes',
      method: 'GET',
      path: `${MESSAGE}/votes`,
      summary: "Get a poll's votes",
      about: 'Get the votes of a poll. CONFLICT if the message is not a poll',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: atMessage,
      status: 200,
      returns: Joi.object({
        options: Joi.array()
          .items(
            Joi.object({
              name: Joi.string().required().example('Tuesday'),
              count: Joi.number().integer().required().example(1),
              voters: Joi.array().items(Voter).required(),
            }),
          )
          .required(),
      }),
      refuses: ['CONFLICT'],
      async run(services, call) {
        const tallies = await countVotes(services, await messageAt(services, call));
        return { options: tallies.map(({ name, voters }) => ({ name, count: voters.length, voters: voters.map(toVoter) })) };
      },
    }),
    row({
      id: 'showPresence',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/chats/{chatId}/presence',
      summary: 'Show a typing indicator',
      about: 'Show a typing or recording indicator in a chat. It disappears after a few seconds',
      audit: { none: 'changes nothing' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'send',
      params: inChat,
      body: Joi.object<{ state: Presence }>({ state: Joi.string().valid('composing', 'recording', 'paused').required() }),
      status: 200,
      returns: Done,
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run(services, call) {
        const chat = await resolveChatOf(services, call.caller, call.params.chatId);
        if (call.device.status !== 'connected') throw refusal('NOT_CONNECTED');
        await services.device(call.device).ask({ type: 'presence', chat, state: call.body.state });
        return { ok: true as const };
      },
    }),
  ],
};

type AtMessage = Pick<DeviceCall<{ messageId: string }, unknown, unknown>, 'caller' | 'device' | 'params' | 'lang' | 'now'>;

async function acted(services: MessageActsServices, call: AtMessage, request: ActionRequest): Promise<FullEntry> {
  const { device, params, now } = call;
  await messageToChange(services, call);
  return inFull(services, call, await requestMessageAction(services, device, params.messageId, request, now));
}

export async function inFull(
  services: ShowingServices,
  { device, ...reader }: Reader & { readonly device: DeviceRow },
  message: MessageRow,
): Promise<FullEntry> {
  const aside = (await asides(services, device, [message], reader))(message);
  if (message.message_type === 'reaction') return toFullMessage(message, aside);
  const [reactions, reply_to] = await Promise.all([reactionsTo(services, message), quotedBy(services, message)]);
  return { ...toFullMessage(message, aside, reactions), ...(reply_to !== undefined && { reply_to }) };
}

export interface ShowingServices extends Pick<MessageActionServiceDeps, 'receivedActions' | 'people'>, Omit<AsideServices, 'messages'> {
  readonly messages: Pick<Messages, 'known'> & AsideServices['messages'];
}

async function quotedBy(
  { messages }: ShowingServices,
  { session_id, chat_id, quotes, parts }: MessageRow,
): Promise<string | null | undefined> {
  if (quotes === null || parts.reply_to !== undefined) return quotes === null ? undefined : parts.reply_to;
  return (await messages.known(session_id, { netId: quotes, chats: [chat_id] }))?._id ?? null;
}

const toVoter = ({ voter, voter_name, at }: VoteRow) => ({ ...person(voter), name: voter_name, at });
