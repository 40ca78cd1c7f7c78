import Joi from 'joi';
import { type ActingPorts, actOn, reactionsTo, type Wish } from '../../actors/acting.ts';
import { person } from '../../actors/events/message-events.ts';
import type { Presence } from '../../actors/network/port.ts';
import { countVotes, type PollPorts } from '../../actors/polls.ts';
import { refusal } from '../../actors/refusals.ts';
import type { MessageRow, Messages } from '../../store/messages.ts';
import type { VoteRow } from '../../store/votes.ts';
import { type Area, type Call, rowsFor } from '../row.ts';
import { Done, Ulid } from '../schemas.ts';
import { canonicalChat, inChat } from './inbox-schemas.ts';
import { type FullEntry, FullMessageSchema, toFullMessage } from './message-schemas.ts';
import { inSession } from './session-schemas.ts';

export interface MessageActsWorld extends ActingPorts, PollPorts {
  readonly messages: Pick<Messages, 'find' | 'known'>;
}

const row = rowsFor<MessageActsWorld>();
const atMessage = inSession.keys({ messageId: Ulid.required() });
const MESSAGE = '/v1/sessions/{sessionId}/messages/{messageId}';
const refuses = ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'] as const;
const UNDER_WAY = 'DEVICE_TIMEOUT: it is still under way, and done when the network takes it';

/** As people type them: with or without the mark that a symbol is meant as a picture. */
const ONE_EMOJI = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}\p{Emoji_Modifier}?\u{FE0F}?)$/v;
const Emoji = Joi.string()
  .allow('')
  .max(32)
  .custom((text: string, { error }) => (ONE_EMOJI.test(text) ? text : error('any.invalid')))
  .description('One emoji, or nothing')
  .example('👍');

const Voter = Joi.object({
  chat_id: Joi.string().required().example('6281234567890@s.whatsapp.net'),
  phone: Joi.string().allow(null).required().example('6281234567890'),
  lid: Joi.string().allow(null).required(),
  name: Joi.string().allow(null, '').required(),
  at: Joi.number().integer().required(),
});

/** What can be done to a message that is on the network. */
export const messageActs: Area<MessageActsWorld> = {
  name: 'message acts',
  about: 'Edit, delete and react to messages on the network; who voted; show that somebody writes',
  rows: [
    row({
      id: 'editMessage',
      method: 'PATCH',
      path: MESSAGE,
      summary: `Change the text of a message of ours on every phone. CONFLICT unless it is a text on the network. ${UNDER_WAY}`,
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: atMessage,
      body: Joi.object<{ body: string }>({ body: Joi.string().min(1).max(65_536).required().example('We open at 9, not at 8') }),
      status: 200,
      returns: FullMessageSchema,
      refuses,
      run: (world, call) => acted(world, call, { kind: 'edit', value: call.body.body }),
    }),
    row({
      id: 'deleteMessage',
      method: 'DELETE',
      path: MESSAGE,
      summary: `Delete a message of ours for everyone; the log keeps that it was there. CONFLICT unless it is on the network. ${UNDER_WAY}`,
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: atMessage,
      status: 200,
      returns: Done,
      refuses,
      async run(world, call) {
        await actOn(world, call.device, call.params.messageId, { kind: 'erase', value: '' }, call.now);
        return { ok: true as const };
      },
    }),
    row({
      id: 'reactToMessage',
      method: 'POST',
      path: `${MESSAGE}/reaction`,
      summary: `Set our reaction to a message of either side; an empty emoji takes it back. ${UNDER_WAY}`,
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: atMessage,
      body: Joi.object<{ emoji: string }>({ emoji: Emoji.required() }),
      status: 200,
      returns: FullMessageSchema,
      refuses,
      run: (world, call) => acted(world, call, { kind: 'react', value: call.body.emoji }),
    }),
    row({
      id: 'getVotes',
      method: 'GET',
      path: `${MESSAGE}/votes`,
      summary: 'Who chose what in a poll. CONFLICT where the message is none',
      access: 'bearer',
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
      async run(world, { caller, device, params }) {
        const found = await world.messages.find(caller.tenantId, device._id, params.messageId);
        if (!found) throw refusal('NOT_FOUND');
        const tallies = await countVotes(world, found);
        return { options: tallies.map(({ name, voters }) => ({ name, count: voters.length, voters: voters.map(toVoter) })) };
      },
    }),
    row({
      id: 'showPresence',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/chats/{chatId}/presence',
      summary: 'Show in a chat that somebody writes or records; the network forgets it by itself after some seconds',
      access: 'bearer',
      scope: 'send',
      params: inChat,
      body: Joi.object<{ state: Presence }>({ state: Joi.string().valid('composing', 'recording', 'paused').required() }),
      status: 200,
      returns: Done,
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run(world, call) {
        const chat = await canonicalChat(world, call.caller, call.params.chatId);
        if (call.device.status !== 'connected') throw refusal('NOT_CONNECTED');
        await world.device(call.device).ask({ type: 'presence', chat, state: call.body.state });
        return { ok: true as const };
      },
    }),
  ],
};

type AtMessage = Pick<Call<{ messageId: string }, unknown, unknown>, 'device' | 'params' | 'now'>;

async function acted(world: MessageActsWorld, { device, params, now }: AtMessage, wish: Wish): Promise<FullEntry> {
  return inFull(world, await actOn(world, device, params.messageId, wish, now));
}

/** A message with the reactions that it has now, and which one it quotes. */
export async function inFull(world: ShowingWorld, message: MessageRow): Promise<FullEntry> {
  if (message.message_type === 'reaction') return toFullMessage(message);
  const [reactions, reply_to] = await Promise.all([reactionsTo(world, message), quotedBy(world, message)]);
  return { ...toFullMessage(message, reactions), ...(reply_to !== undefined && { reply_to }) };
}

export interface ShowingWorld extends Pick<ActingPorts, 'acts'> {
  readonly messages: Pick<Messages, 'known'>;
}

async function quotedBy({ messages }: ShowingWorld, { session_id, quotes }: MessageRow): Promise<string | null | undefined> {
  return quotes === null ? undefined : ((await messages.known(session_id, quotes))?._id ?? null);
}

const toVoter = ({ voter, voter_name, at }: VoteRow) => ({ ...person(voter), name: voter_name, at });
