import Joi from 'joi';
import { addNote, type ChatChange, changeChat, removeNote } from '../../actors/inbox/desk.ts';
import { type ReadingPorts, readChat } from '../../actors/inbox/read-receipts.ts';
import { type Area, type Call, rowsFor } from '../row.ts';
import { Done, Ulid } from '../schemas.ts';
import { CHAT_STATUSES, chatIn, FullChatSchema, inChat, type PeopleWorld, TagSchema, toFullChat } from './inbox-schemas.ts';

type ChatsWorld = ReadingPorts & PeopleWorld;

const row = rowsFor<ChatsWorld>();
const refuses = ['INVALID_NUMBER', 'INVALID_JID'] as const;
const Assignee = Ulid.allow(null).description('An agent who is active; null: nobody');
const byOf = ({ caller, now }: Pick<Call<unknown, unknown, unknown>, 'caller' | 'now'>) => ({ who: caller.agentId, now });
const CHAT = '/v1/sessions/{sessionId}/chats/{chatId}';

export const chats: Area<ChatsWorld> = {
  name: 'chats',
  about: 'What people do with a conversation in the inbox',
  rows: [
    row({
      id: 'changeChat',
      method: 'PATCH',
      path: CHAT,
      summary:
        'Change status, agent, pin, archive, tags; what is not named stays. Status moves open ⇄ pending ⇄ resolved; an inbound message re-opens',
      access: 'bearer',
      params: inChat,
      body: Joi.object<ChatChange>({
        status: Joi.string().valid(...CHAT_STATUSES),
        agent_id: Assignee,
        pinned: Joi.boolean(),
        archived: Joi.boolean(),
        tags: Joi.array().items(TagSchema).max(20).unique('name').description('All of them: they replace those before'),
      }),
      status: 200,
      returns: FullChatSchema,
      refuses: [...refuses, 'CONFLICT'],
      run: async (world, call) => toFullChat(await changeChat(world, await chatIn(world, call), call.body, byOf(call))),
    }),
    row({
      id: 'assignChat',
      method: 'POST',
      path: `${CHAT}/assign`,
      summary:
        'Assign the chat to an agent, or to nobody. An agent may take, hand over or give back the chats that they see; one that was handed ' +
        'over is out of their sight',
      access: 'bearer',
      params: inChat,
      body: Joi.object<{ agent_id: string | null }>({ agent_id: Assignee.required() }),
      status: 200,
      returns: FullChatSchema,
      refuses: [...refuses, 'CONFLICT'],
      run: async (world, call) => toFullChat(await changeChat(world, await chatIn(world, call), call.body, byOf(call))),
    }),
    row({
      id: 'readChat',
      method: 'POST',
      path: `${CHAT}/read`,
      summary: 'Everything in the chat is read; those who wrote it are told so while the device is connected',
      access: 'bearer',
      params: inChat,
      status: 200,
      returns: FullChatSchema,
      refuses,
      run: async (world, call) => toFullChat(await readChat(world, await chatIn(world, call))),
    }),
    row({
      id: 'addChatNote',
      method: 'POST',
      path: `${CHAT}/notes`,
      summary: 'Add a note that only the team sees',
      access: 'bearer',
      params: inChat,
      body: Joi.object<{ text: string }>({
        text: Joi.string().min(1).max(4_096).required().example('Prefers to be called in the morning'),
      }),
      status: 201,
      returns: FullChatSchema,
      refuses: [...refuses, 'LIMIT_REACHED'],
      run: async (world, call) => toFullChat(await addNote(world, await chatIn(world, call), call.body.text)),
    }),
    row({
      id: 'deleteChatNote',
      method: 'DELETE',
      path: `${CHAT}/notes/{index}`,
      summary: 'Delete a note; 0 is the newest',
      access: 'bearer',
      params: inChat.keys({ index: Joi.number().integer().min(0).required() }),
      status: 200,
      returns: Done,
      refuses,
      async run(world, call) {
        await removeNote(world, await chatIn(world, call), call.params.index);
        return { ok: true as const };
      },
    }),
  ],
};
