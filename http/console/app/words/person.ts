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

/** What a chat is called: the name, else the person's number or username. A group or an address without any of them is called by its address. */
export function nameOfChat({ chat_name, chat_id, ...person }: NamedChat): string {
  if (chat_name) return chat_name;
  return person.phone === null && !person.username ? chat_id : personText(person);
}

/** How a person is written who has no name: the number, else the username, else that there is none. */
export function personText({ phone, username }: Person): string {
  // A list of recipients also holds what somebody wrote that is no number.
  if (phone !== null) return /^\d+$/.test(phone) ? phoneText(phone) : phone;
  return username ? `@${username}` : words().noNumber;
}
