import { isLid, phoneOf, userJid } from './jid.ts';

/** Who is meant, in stored records of people, by the address of a 1:1 chat: the digits of a number, or a hidden address. Null: no person. */
export const subjectOf = (jid: string): string | null => phoneOf(jid) ?? (jid.endsWith('@lid') ? jid : null);

const HIDDEN = /^\d{1,30}@lid$/;

/** The hidden address that somebody wrote; null: the text is none. */
export function writtenLid(text: string): string | null {
  const bare = text.trim();
  return HIDDEN.test(bare) ? bare : null;
}

/** The address of a 1:1 chat with them. */
export const addressOf = (subject: string): string => (subject.includes('@') ? subject : userJid(subject));

/** Who is meant, as callers see it: the digits, or the hidden address while the network hides the number. */
export const personIn = (subject: string): { readonly phone: string | null; readonly lid: string | null } =>
  isLid(subject) ? { phone: null, lid: subject } : { phone: subject, lid: null };
