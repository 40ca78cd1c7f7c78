import { phoneText } from './phone.ts';
import { wordsOf } from './words.ts';

interface Person {
  readonly phone: string | null;
  readonly username?: string | null;
}

const words = wordsOf({
  en: {
    noNumber: 'No number',
  },
  id: {
    noNumber: 'Tanpa nomor',
  },
});

interface NamedChat extends Person {
  readonly chat_id: string;
  readonly chat_name: string | null;
}

export function nameOfChat({ chat_name, chat_id, ...person }: NamedChat): string {
  if (chat_name) return chat_name;
  return person.phone === null && !person.username ? chat_id : personText(person);
}

export function personText({ phone, username }: Person): string {
  // A list of recipients may contain entries that are not phone numbers. They are shown unchanged.
  if (phone !== null) return /^\d+$/.test(phone) ? phoneText(phone) : phone;
  return username ? `@${username}` : words().noNumber;
}
