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

/** How a person is written who has no name: the number, else the username, else that there is none. */
export function personText({ phone, username }: Person): string {
  if (phone !== null) return phoneText(phone);
  return username ? `@${username}` : words().noNumber;
}
