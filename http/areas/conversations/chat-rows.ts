import Joi from 'joi';
import { TIMERS, type Timer } from '../../../actors/domain/message-timers.ts';
import { type Fault, invalid, refusal } from '../../../actors/domain/refusals.ts';
import { MUTED_FOR_EVER } from '../../../actors/network/chat-marks.ts';
import { MOST_OLDER } from '../../../actors/network/history.ts';
import {
  type AtChat,
  addNote,
  type ChatChange,
  changeChat,
  chatOf,
  MAX_CHAT_TAGS,
  removeNote,
} from '../../../actors/services/conversations/conversation-service.ts';
import { notesOf } from '../../../actors/services/conversations/notes.ts';
import { loadOlder, type OlderMessageDeps } from '../../../actors/services/conversations/older-messages.ts';
import { type ReadingDeps, readChat } from '../../../actors/services/conversations/read-receipts.ts';
import { type Area, type Call, mayManage, rowsFor } from '../../core/row.ts';
import { Done, FutureTime, Ulid } from '../../core/schemas.ts';
import { faultIfPast } from '../../core/times.ts';
import { type AskingServices, askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { chatIn, type IdentityServices, inChat } from '../params.ts';
import { announce, type WakeupServices } from '../scheduling/scheduled-rows.ts';
import { CHAT_STATUSES, FullChatSchema, NoteSchema, type ShowingDeps, shownInFull, TagSchema } from './schemas.ts';

type ChatsServices = ReadingDeps & IdentityServices & ShowingDeps & WakeupServices & AskingServices & OlderMessageDeps;

const row = rowsFor<ChatsServices>();
const refuses = ['INVALID_NUMBER', 'INVALID_JID'] as const;
const Assignee = Ulid.allow(null).description('An active agent; null unassigns the chat');
const byOf = ({ caller, now }: Pick<Call<unknown, unknown, unknown>, 'caller' | 'now'>) => ({
  who: caller.agentId,
  name: caller.key?.name ?? caller.agentName,
  now,
});
const LONGEST_SNOOZE_MS = 366 * 86_400_000;
const CHAT = '/v1/sessions/{sessionId}/chats/{chatId}';

/** Changes the timer on the network first, so that a refusal leaves the stored value unchanged. */
async function setTimer(services: ChatsServices, { caller }: Pick<Call<unknown, unknown, unknown>, 'caller'>, at: AtChat, seconds: Timer) {
  if (!mayManage(caller)) throw refusal('FORBIDDEN');
  const { device, chatId } = at;
  await chatOf(services, at);
  if (chatId.endsWith('@g.us')) await askNetwork(services, device, 'groups.set', { id: chatId, change: { ephemeral: seconds } });
  else await askNetwork(services, device, 'timers.set', { chat: chatId, seconds });
}

export const chats: Area<ChatsServices> = {
  name: 'chats',
  about: 'Actions on a conversation in the inbox',
  rows: [
    row({
      id: 'changeChat',
      method: 'PATCH',
      path: CHAT,
      summary: 'Update a chat',
      example: { status: 'resolved', tags: [{ name: 'VIP', color: '#d4a017' }] },
      about:
        'Update status, agent, tags, and how the phone shows the chat: archived, pinned, muted, unread. Omitted fields are unchanged. The phone gets the ' +
        'changes at once, or at the next login; if it refuses one, nothing changes. If the chat changes here and on the phone, the later change wins. ' +
        'An inbound message reopens a resolved chat; a pending one stays pending',
      audit: { none: 'everyday work in the inbox' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      check: ({ muted_until, snoozed_until }, now) => [
        ...faultIfPast('muted_until', muted_until, now),
        ...faultIfPast('snoozed_until', snoozed_until, now),
      ],
      body: Joi.object<ChatChange & { ephemeral?: Timer }>({
        status: Joi.string().valid(...CHAT_STATUSES),
        agent_id: Assignee,
        pinned: Joi.boolean(),
        archived: Joi.boolean().description('Archiving a chat also unpins it'),
        muted_until: FutureTime.allow(null).description(`Epoch ms; null if not muted. ${MUTED_FOR_EVER} and later: forever`),
        unread: Joi.boolean().description('false: same as `POST …/read`; true: mark the last message as unread'),
        tags: Joi.array().items(TagSchema).max(MAX_CHAT_TAGS).unique('name').description('The complete list, which replaces the old one'),
        add_tags: Joi.array().items(TagSchema).max(MAX_CHAT_TAGS).unique('name').description('Tags to add; existing ones stay'),
        ephemeral: Joi.number()
          .valid(...TIMERS)
          .unit('seconds')
          .description('Seconds after which messages disappear on the network; 0 turns this off. Not for agents'),
        snoozed_until: FutureTime.allow(null).description(
          'Snoozes the chat until then, at most a year ahead: it is `pending`, and `open` again at that time or when the customer writes. null ends the snooze. ' +
            'Cannot be combined with another `status`, which also ends it',
        ),
      }),
      status: 200,
      returns: FullChatSchema,
      refuses: [...refuses, 'LIMIT_REACHED', ...NETWORK_REFUSALS],
      async run(services, call) {
        const { caller, now } = call;
        const at = await chatIn(services, call);
        // Checks access first, so that an invalid request reveals nothing about a chat the caller may not see.
        if (call.body.snoozed_until) await chatOf(services, at);
        const faults = snoozeFaults(call.body, now);
        if (faults.length > 0) throw invalid(faults);
        const { ephemeral, ...asked } = call.body;
        if (ephemeral !== undefined) await setTimer(services, call, at, ephemeral);
        const { unread, ...change } = asked;
        if (unread === false) await readChat(services, at, now, true);
        const chat = await changeChat(services, at, unread === true ? asked : change, byOf(call));
        if (asked.snoozed_until) await announce(services, caller.tenantId, now);
        return shownInFull(services, chat);
      },
    }),
    row({
      id: 'assignChat',
      method: 'POST',
      path: `${CHAT}/assign`,
      summary: 'Assign a chat',
      about:
        'Assign the chat to an agent, or unassign it. An agent can take, hand over or unassign the chats that they see; after a hand-over they no ' +
        'longer see it',
      audit: { none: 'everyday work in the inbox; the chat and its event show it' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      body: Joi.object<{ agent_id: string | null }>({ agent_id: Assignee.required() }),
      status: 200,
      returns: FullChatSchema,
      refuses: [...refuses, 'CONFLICT'],
      run: async (services, call) => shownInFull(services, await changeChat(services, await chatIn(services, call), call.body, byOf(call))),
    }),
    row({
      id: 'readChat',
      method: 'POST',
      path: `${CHAT}/read`,
      summary: 'Mark a chat as read',
      about: 'Mark the chat as read. The senders get read receipts if the device is connected',
      audit: { none: 'everyday work in the inbox' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      status: 200,
      returns: FullChatSchema,
      refuses,
      run: async (services, call) => shownInFull(services, await readChat(services, await chatIn(services, call), call.now)),
    }),
    row({
      id: 'loadOlderMessages',
      method: 'POST',
      path: `${CHAT}/history`,
      summary: 'Load older messages',
      about:
        'Ask the phone for messages older than the oldest one here. They arrive as log entries with `historic: true`, are not unread, and trigger no ' +
        'automatic answers. Messages older than your retention period are not stored. The event `history.loaded` reports when they arrived, or after a minute that the phone ' +
        'did not answer. At most one open request per chat and ten per device (else 429). 409 if the chat has no message to start from',
      audit: { none: 'everyday work in the inbox' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      body: Joi.object<{ count: number }>({ count: Joi.number().integer().min(1).max(MOST_OLDER).default(MOST_OLDER) }),
      status: 202,
      returns: Joi.object({ requested: Joi.valid(true).required() }),
      refuses: [...refuses, ...NETWORK_REFUSALS],
      async run(services, call) {
        const { caller, body, now } = call;
        const at = await chatIn(services, call);
        const opened = () => announce(services, caller.tenantId, now);
        await loadOlder(services, at.device, await chatOf(services, at), { count: body.count, now, opened });
        return { requested: true as const };
      },
    }),
    row({
      id: 'listChatNotes',
      method: 'GET',
      path: `${CHAT}/notes`,
      summary: 'List the notes',
      about: 'List notes, newest first. Notes from earlier versions have no author and no time',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      status: 200,
      list: { of: 'notes' },
      returns: Joi.object({ notes: Joi.array().items(NoteSchema).required() }),
      refuses,
      run: async (services, call) => ({ notes: notesOf(await chatOf(services, await chatIn(services, call))) }),
    }),
    row({
      id: 'addChatNote',
      method: 'POST',
      path: `${CHAT}/notes`,
      summary: 'Add a note',
      about: 'Add a note that only the team sees',
      audit: { none: 'everyday work in the inbox; the chat shows it' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat,
      body: Joi.object<{ text: string }>({
        text: Joi.string().min(1).max(4_096).required().example('Prefers to be called in the morning'),
      }),
      status: 201,
      returns: FullChatSchema,
      refuses: [...refuses, 'LIMIT_REACHED'],
      run: async (services, call) =>
        shownInFull(services, await addNote(services, await chatIn(services, call), call.body.text, byOf(call))),
    }),
    row({
      id: 'deleteChatNote',
      method: 'DELETE',
      path: `${CHAT}/notes/{noteId}`,
      summary: 'Delete a note',
      about:
        'Delete a note by its id. Deleting by position (0 is the newest) is deprecated. Agents can delete their own notes, the owner any note',
      audit: { none: 'everyday work in the inbox' },
      stepUp: { none: 'everyday work in the inbox' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inChat.keys({ noteId: Joi.string().min(1).max(64).required().description('The id of a note, or its position') }),
      status: 200,
      returns: Done,
      refuses: [...refuses, 'FORBIDDEN'],
      async run(services, call) {
        await removeNote(services, await chatIn(services, call), call.params.noteId);
        return { ok: true as const };
      },
    }),
  ],
};

function snoozeFaults({ snoozed_until: until, status }: ChatChange, now: number): readonly Fault[] {
  if (typeof until !== 'number') return [];
  const far: Fault = {
    path: 'snoozed_until',
    en: 'snoozed_until must be at most one year ahead',
    id: 'snoozed_until paling lama satu tahun ke depan',
  };
  const two: Fault = {
    path: 'status',
    en: 'status must be pending while snoozed_until is set',
    id: 'status harus pending bila snoozed_until diisi',
  };
  return [...(until > now + LONGEST_SNOOZE_MS ? [far] : []), ...(status !== undefined && status !== 'pending' ? [two] : [])];
}
