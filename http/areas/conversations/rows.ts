import Joi from 'joi';
import { partsOfNumber } from '../../../actors/domain/phone-numbers.ts';
import { timeSlicer } from '../../../actors/services/contacts/time-slicer.ts';
import { type ConversationDeps, chatOf } from '../../../actors/services/conversations/conversation-service.ts';
import { type InboxDeps, inboxPage } from '../../../actors/services/conversations/inbox.ts';
import type { ChatFilter, ChatStatus } from '../../../store/conversations/chats.ts';
import { pageIn } from '../../core/paging.ts';
import { type Area, type Caller, rowsFor } from '../../core/row.ts';
import { nextPage, paging, Ulid } from '../../core/schemas.ts';
import { LogSearch, type LogServices, readLog } from '../messages/read-log.ts';
import { MessageSchema } from '../messages/schemas.ts';
import { chatIn, type IdentityServices, inChat, inSession, viewerOf } from '../params.ts';
import { CHAT_STATUSES, ChatList, FullChatSchema, shownInFull, toChat, toList } from './schemas.ts';

interface ChatQuery {
  readonly session_id?: string;
  readonly status?: ChatStatus;
  readonly agent_id?: string;
  readonly unread?: boolean;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly tag?: string;
  readonly snoozed?: boolean;
  readonly q?: string;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const filters = {
  status: Joi.string().valid(...CHAT_STATUSES),
  agent_id: Joi.alternatives(Ulid, Joi.string().valid('none')).description('An agent, or `none` for unassigned chats').example('none'),
  unread: Joi.boolean(),
  pinned: Joi.boolean(),
  archived: Joi.boolean(),
  tag: Joi.string().min(1).max(50).description("A tag's name"),
  snoozed: Joi.boolean().description('True: only snoozed chats (`snoozed_until`); false: only the others; absent: all'),
  q: Joi.string()
    .min(1)
    .max(200)
    .description(
      'Part of a name, an address or the preview of the last message. For groups, also part of the name of a member who is a contact. A page may then have fewer entries than `limit`',
    ),
  ...paging,
};

type InboxServices = ConversationDeps & InboxDeps & IdentityServices & LogServices;

const row = rowsFor<InboxServices>();

export const inbox: Area<InboxServices> = {
  name: 'inbox',
  about: 'Conversations of all devices. Agents see chats that are assigned to them or unassigned',
  rows: [
    row({
      id: 'listInbox',
      method: 'GET',
      path: '/v1/inbox',
      summary: 'List all chats',
      about: 'List the chats of all devices, newest message first',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      query: Joi.object<ChatQuery>({ session_id: Ulid, ...filters }).with('before_id', 'before'),
      status: 200,
      returns: ChatList,
      refuses: ['OVERLOADED'],
      run: (services, { caller, query }) => listed(services, caller, query),
    }),
    row({
      id: 'listChats',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/chats',
      summary: "List a device's chats",
      about: 'List the chats of a device, newest message first',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession,
      query: Joi.object<ChatQuery>(filters).with('before_id', 'before'),
      status: 200,
      returns: ChatList,
      refuses: ['OVERLOADED'],
      run: (services, { caller, device, query }) => listed(services, caller, { ...query, session_id: device._id }),
    }),
    row({
      id: 'getChat',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/chats/{chatId}',
      summary: 'Get a chat',
      about: 'Get a chat with its tags and notes',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      status: 200,
      returns: FullChatSchema,
      refuses: ['INVALID_NUMBER', 'INVALID_JID'],
      run: async (services, call) => shownInFull(services, await chatOf(services, await chatIn(services, call))),
    }),
    row({
      id: 'listChatMessages',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/chats/{chatId}/messages',
      summary: "List a chat's messages",
      about: 'List the messages of a chat, newest first',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      query: Joi.object<ChatQuery>({ q: LogSearch, ...paging }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ messages: Joi.array().items(MessageSchema).required(), ...nextPage }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'OVERLOADED'],
      async run(services, call) {
        const { chat_id } = await chatOf(services, await chatIn(services, call));
        const { q, ...query } = call.query;
        return readLog(services, call.device, { filter: { chat_id }, q, page: pageIn(query), visible: null, reader: call });
      },
    }),
  ],
};

async function listed(services: InboxDeps, caller: Caller, { q, limit, before, before_id, ...rest }: ChatQuery) {
  const { agent_id, ...same } = rest;
  const seenBy = viewerOf(caller);
  const sessionIds = caller.key?.sessionIds?.filter((id) => rest.session_id === undefined || id === rest.session_id);
  if (sessionIds?.length === 0) return toList({ entries: [], next: null });
  const filter: ChatFilter = {
    ...same,
    ...(agent_id !== undefined && { agent_id: agent_id === 'none' ? null : agent_id }),
    ...(seenBy !== null && { seenBy }),
    ...(sessionIds && { session_ids: sessionIds }),
  };
  const parts = q === undefined ? [] : partsOfNumber(q, caller.callingCode);
  const page = pageIn({ limit, before, before_id });
  const read = () => inboxPage(services, caller.tenantId, { filter, q, parts, page }, toChat);
  return toList(await (q === undefined ? read() : timeSlicer.during(caller.tenantId, read)));
}
