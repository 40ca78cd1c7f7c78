import Joi from 'joi';
import type { People } from '../../actors/people/people.ts';
import { resolveChat } from '../../actors/phone-numbers.ts';
import type { ChatRow, ChatStatus, Tag } from '../../store/chats.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { PageRead } from '../../store/page.ts';
import type { Caller } from '../row.ts';
import { nextPage, Timestamp } from '../schemas.ts';
import { inSession, Ulid } from './session-schemas.ts';

export const CHAT_STATUSES = ['open', 'pending', 'resolved'] as const;

/** spec.md "InboxChat". */
export interface InboxChat {
  readonly id: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly chat_name: string | null;
  readonly last_message: string | null;
  readonly last_message_at: number;
  readonly unread_count: number;
  readonly is_group: 0 | 1;
  readonly agent_id: string | null;
  readonly status: ChatStatus;
}

/** With spec.md "InboxChatMetadata". */
export interface FullChat extends InboxChat {
  readonly tags: readonly Tag[];
  readonly notes: readonly string[];
  readonly pinned: boolean;
  readonly archived: boolean;
}

function toChat(row: ChatRow): InboxChat {
  const { id, session_id, chat_id, chat_name, last_message, last_message_at, unread_count, is_group, agent_id, status } = row;
  return { id, session_id, chat_id, chat_name, last_message, last_message_at, unread_count, is_group, agent_id, status };
}

export function toFullChat(row: ChatRow): FullChat {
  const { tags, notes, pinned, archived } = row;
  return { ...toChat(row), tags, notes, pinned, archived };
}

export const TagSchema = Joi.object<Tag>({
  name: Joi.string().min(1).max(50).required().example('VIP'),
  color: Joi.string().min(1).max(20).required().example('#d4a017'),
});

const ChatSchema = Joi.object({
  id: Ulid.required(),
  session_id: Ulid.required(),
  chat_id: Joi.string().required().example('6281234567890@s.whatsapp.net'),
  chat_name: Joi.string().allow(null, '').required().example('Anna'),
  last_message: Joi.string().allow(null, '').required().example('Is it still open?'),
  last_message_at: Timestamp.required(),
  unread_count: Joi.number().integer().min(0).required().description('Inbound messages that were not read; 1000 stands for more, too'),
  is_group: Joi.number().valid(0, 1).required(),
  agent_id: Joi.string().allow(null).required().description('Assigned agent'),
  status: Joi.string()
    .valid(...CHAT_STATUSES)
    .required(),
}).meta({ title: 'InboxChat' });

export const FullChatSchema = ChatSchema.keys({
  tags: Joi.array().items(TagSchema).required(),
  notes: Joi.array().items(Joi.string()).required().description('Newest first'),
  pinned: Joi.boolean().required(),
  archived: Joi.boolean().required(),
}).meta({ title: 'InboxChatWithMetadata' });

export const ChatList = Joi.object({ chats: Joi.array().items(ChatSchema).required(), ...nextPage });

export const toList = ({ rows, next }: PageRead<ChatRow>) => ({
  chats: rows.map(toChat),
  next_before: next?.last_message_at ?? null,
  next_before_id: next?.id ?? null,
});

export const inChat = inSession.keys({
  chatId: Joi.string().min(1).max(64).required().description('A JID or a phone number').example('6281234567890@s.whatsapp.net'),
});

/** The agent whose eyes these are; null: everybody's. */
export const eyesOf = ({ role, agentId }: Caller): string | null => (role === 'agent' ? agentId : null);

/** Which chat a call is about. Refuses INVALID_JID, INVALID_NUMBER. */
export async function chatIn(world: PeopleWorld, call: AtChatCall) {
  const { device, caller, params } = call;
  return { device, chatId: await canonicalChat(world, caller, params.chatId), seenBy: eyesOf(caller) };
}

interface AtChatCall {
  readonly device: DeviceRow;
  readonly caller: Caller;
  readonly params: { readonly chatId: string };
}

export interface PeopleWorld {
  readonly people: Pick<People, 'canonical'>;
}

/** The address of a chat that a caller names: a hidden one (`…@lid`) stands for its number where that is known. Refuses as `resolveChat`. */
export async function canonicalChat({ people }: PeopleWorld, { tenantId, callingCode }: Caller, text: string): Promise<string> {
  return people.canonical(tenantId, resolveChat(text, callingCode));
}
