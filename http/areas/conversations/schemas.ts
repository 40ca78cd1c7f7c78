import Joi from 'joi';
import type { ChatNames, ChatPerson, NamedChat } from '../../../actors/services/conversations/chat-names.ts';
import { type ShownNote, textOf } from '../../../actors/services/conversations/notes.ts';
import { previewOf } from '../../../actors/services/conversations/preview.ts';
import { at } from '../../../runtime/invariant.ts';
import type { ChatRow, ChatStatus, Tag } from '../../../store/conversations/chats.ts';
import type { PageRead } from '../../../store/paging/page.ts';
import { nextOf } from '../../core/paging.ts';
import { nextPage, Timestamp, Ulid } from '../../core/schemas.ts';

export const CHAT_STATUSES = ['open', 'pending', 'resolved'] as const;

export interface InboxChat {
  readonly id: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly chat_name: string | null;
  readonly phone: string | null;
  readonly lid: string | null;
  readonly username: string | null;
  readonly last_message: string | null;
  readonly last_message_at: number;
  readonly unread_count: number;
  readonly is_group: 0 | 1;
  readonly agent_id: string | null;
  readonly status: ChatStatus;
  readonly snoozed_until: number | null;
  readonly window_until: number | null;
}

export interface FullChat extends InboxChat {
  readonly tags: readonly Tag[];
  readonly notes: readonly string[];
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly muted_until: number | null;
  readonly unread: boolean;
  /** Disappearing-message timer in seconds, or 0 if messages do not disappear. */
  readonly ephemeral: number;
  readonly cleared_until: number | null;
}

const NOBODY: ChatPerson = { phone: null, lid: null, username: null };

export function toChat({ row, person }: NamedChat): InboxChat {
  const { id, session_id, chat_id, chat_name, last_message, last_message_at, unread_count, is_group, agent_id, status } = row;
  const { snoozed_until = null, window_until = null } = row;
  return {
    id,
    session_id,
    chat_id,
    chat_name,
    ...(person ?? NOBODY),
    last_message: previewOf(last_message),
    last_message_at,
    unread_count,
    is_group,
    agent_id,
    status,
    snoozed_until,
    window_until,
  };
}

export interface ShowingDeps {
  readonly chatNames: ChatNames;
}

export async function shownInFull({ chatNames }: ShowingDeps, chat: ChatRow): Promise<FullChat> {
  const named = at(await chatNames.nameAll(chat.tenant_id, [chat]), 0);
  const { tags, notes, pinned, archived, muted_until = null, ephemeral = 0, cleared_until = null } = chat;
  const marks = { pinned, archived, muted_until, unread: chat.unread_count > 0, ephemeral, cleared_until };
  return { ...toChat(named), tags, notes: notes.map(textOf), ...marks };
}

export const TagSchema = Joi.object<Tag>({
  name: Joi.string().min(1).max(50).required().example('VIP'),
  color: Joi.string().min(1).max(20).required().example('#d4a017'),
}).meta({ title: 'ChatTag' });

const ChatSchema = Joi.object({
  id: Ulid.required(),
  session_id: Ulid.required(),
  chat_id: Joi.string().required().example('6281234567890@s.whatsapp.net'),
  chat_name: Joi.string()
    .allow(null, '')
    .required()
    .description("The contact's name, or else the name in the phone's address book, or else the name that the person shows on the network")
    .example('Anna'),
  phone: Joi.string()
    .allow(null)
    .required()
    .description('Digits; null for a group, or if the number is not known')
    .example('6281234567890'),
  lid: Joi.string().allow(null).required().description('The hidden address; null if not known'),
  username: Joi.string().allow(null).required().description('The username of the person, without `@`; null if not known'),
  last_message: Joi.string().allow(null, '').required().description('A preview: the first 200 characters').example('Is it still open?'),
  last_message_at: Timestamp.required(),
  unread_count: Joi.number().integer().min(0).required().description('Unread inbound messages; 1000 means 1000 or more'),
  is_group: Joi.number().valid(0, 1).required(),
  agent_id: Joi.string().allow(null).required().description('Assigned agent'),
  status: Joi.string()
    .valid(...CHAT_STATUSES)
    .required(),
  snoozed_until: Timestamp.allow(null).required().description('The chat is snoozed until then, and `pending` meanwhile').example(null),
  window_until: Timestamp.allow(null)
    .required()
    .description('For an official number: free text can be sent until then; null if the person never wrote to it')
    .example(null),
}).meta({ title: 'InboxChat' });

export const NoteSchema = Joi.object<ShownNote>({
  id: Ulid.required(),
  text: Joi.string().required().example('Prefers to be called in the morning'),
  author: Joi.string()
    .allow(null)
    .required()
    .description('Author of the note; null if the gateway or an earlier version wrote it')
    .example('Sari'),
  created_at: Timestamp.allow(null).required(),
}).meta({ title: 'ChatNote' });

export const FullChatSchema = ChatSchema.keys({
  tags: Joi.array().items(TagSchema).required(),
  notes: Joi.array().items(Joi.string()).required().description('Texts of the notes, newest first'),
  pinned: Joi.boolean().required(),
  archived: Joi.boolean().required(),
  muted_until: Timestamp.allow(null).required().description('Muted on the phone until then, epoch ms; null if not muted'),
  unread: Joi.boolean().required().description('Whether the chat has unread messages or was marked as unread'),
  cleared_until: Timestamp.allow(null)
    .required()
    .description('When the owner of the number cleared the chat on the phone; the phone shows no earlier messages. null if never')
    .example(null),
  ephemeral: Joi.number().integer().min(0).required().unit('seconds').description('Seconds after which messages disappear; 0: never'),
}).meta({ title: 'InboxChatWithMetadata' });

export const ChatList = Joi.object({ chats: Joi.array().items(ChatSchema).required(), ...nextPage });

export const toList = ({ entries, next }: PageRead<InboxChat>) => ({ chats: entries, ...nextOf(next) });
