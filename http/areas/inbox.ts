import Joi from 'joi';
import { chatOf, type DeskPorts } from '../../actors/inbox/desk.ts';
import { partsOfNumber } from '../../actors/phone-numbers.ts';
import { chatPage } from '../../store/chat-list.ts';
import type { ChatFilter, ChatStatus } from '../../store/chats.ts';
import { logPage } from '../../store/message-log.ts';
import { type Area, type Caller, rowsFor } from '../row.ts';
import { nextPage, paging } from '../schemas.ts';
import { CHAT_STATUSES, ChatList, chatIn, eyesOf, FullChatSchema, inChat, type PeopleWorld, toFullChat, toList } from './inbox-schemas.ts';
import { MessageSchema, toMessage } from './message-schemas.ts';
import { inSession, Ulid } from './session-schemas.ts';

interface ChatQuery {
  readonly session_id?: string;
  readonly status?: ChatStatus;
  readonly agent_id?: string;
  readonly unread?: boolean;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly tag?: string;
  readonly q?: string;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const filters = {
  status: Joi.string().valid(...CHAT_STATUSES),
  agent_id: Joi.alternatives(Ulid, Joi.string().valid('none')).description('An agent, or `none` for chats of nobody').example('none'),
  unread: Joi.boolean(),
  pinned: Joi.boolean(),
  archived: Joi.boolean(),
  tag: Joi.string().min(1).max(50).description("A tag's name"),
  q: Joi.string().min(1).max(200).description('Part of name, address or last message. A page may then hold fewer than `limit`'),
  ...paging,
};

const row = rowsFor<DeskPorts & PeopleWorld>();

export const inbox: Area<DeskPorts & PeopleWorld> = {
  name: 'inbox',
  about: 'Conversations of all devices. Agents see those assigned to them or to nobody',
  rows: [
    row({
      id: 'listInbox',
      method: 'GET',
      path: '/v1/inbox',
      summary: 'Chats of all devices, the one with the newest message first',
      access: 'bearer',
      query: Joi.object<ChatQuery>({ session_id: Ulid, ...filters }).with('before_id', 'before'),
      status: 200,
      returns: ChatList,
      run: (world, { caller, query }) => listed(world, caller, query),
    }),
    row({
      id: 'listChats',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/chats',
      summary: 'Chats of a device, the one with the newest message first',
      access: 'bearer',
      params: inSession,
      query: Joi.object<ChatQuery>(filters).with('before_id', 'before'),
      status: 200,
      returns: ChatList,
      run: (world, { caller, device, query }) => listed(world, caller, { ...query, session_id: device._id }),
    }),
    row({
      id: 'getChat',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/chats/{chatId}',
      summary: 'A chat with its tags and notes',
      access: 'bearer',
      params: inChat,
      status: 200,
      returns: FullChatSchema,
      refuses: ['INVALID_NUMBER', 'INVALID_JID'],
      run: async (world, call) => toFullChat(await chatOf(world, await chatIn(world, call))),
    }),
    row({
      id: 'listChatMessages',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/chats/{chatId}/messages',
      summary: 'Messages of a chat, newest first',
      access: 'bearer',
      params: inChat,
      query: Joi.object<ChatQuery>({ q: filters.q, ...paging }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ messages: Joi.array().items(MessageSchema).required(), ...nextPage }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID'],
      async run(world, call) {
        const { chat_id } = await chatOf(world, await chatIn(world, call));
        const { q, ...query } = call.query;
        const { rows, next } = await logPage(world.messages, call.device, { filter: { chat_id }, q, page: pageOf(query) });
        return { messages: rows.map(toMessage), next_before: next?.created_at ?? null, next_before_id: next?._id ?? null };
      },
    }),
  ],
};

async function listed({ chats }: DeskPorts, caller: Caller, { q, limit, before, before_id, ...rest }: ChatQuery) {
  const { agent_id, ...same } = rest;
  const seenBy = eyesOf(caller);
  const sessionIds = caller.key?.sessionIds?.filter((id) => rest.session_id === undefined || id === rest.session_id);
  const filter: ChatFilter = {
    ...same,
    ...(agent_id !== undefined && { agent_id: agent_id === 'none' ? null : agent_id }),
    ...(seenBy !== null && { seenBy }),
    ...(sessionIds && { session_ids: sessionIds }),
  };
  return toList(
    await chatPage(chats, caller.tenantId, {
      filter,
      q,
      parts: q === undefined ? [] : partsOfNumber(q, caller.callingCode),
      page: pageOf({ limit, before, before_id }),
    }),
  );
}

function pageOf({ limit, before, before_id }: { limit: number; before?: number | undefined; before_id?: string | undefined }) {
  return { limit, before: before ?? null, beforeId: before_id ?? null };
}
