import { phoneText } from '../../words/phone.ts';
import type { Chat } from './chats.ts';

/** The digits of a person's number; null: a group, or an address that hides the number. */
export const phoneOf = (chatId: string): string | null => /^(\d{5,15})(@s\.whatsapp\.net)?$/.exec(chatId)?.[1] ?? null;

/** What a chat is called: the name, else the number, else the address. */
export function nameOfChat({ chat_name, chat_id }: Pick<Chat, 'chat_name' | 'chat_id'>): string {
  if (chat_name) return chat_name;
  const phone = phoneOf(chat_id);
  return phone === null ? chat_id : phoneText(phone);
}
