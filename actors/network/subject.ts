import { isLid, phoneOf, userJid } from './jid.ts';

/** Key of a person in stored records (digits or hidden address); null if the address is not a person's. */
export const subjectOf = (jid: string): string | null => phoneOf(jid) ?? (jid.endsWith('@lid') ? jid : null);

const HIDDEN = /^\d{1,30}@lid$/;

export function writtenLid(text: string): string | null {
  const bare = text.trim();
  return HIDDEN.test(bare) ? bare : null;
}

export const addressOf = (subject: string): string => (subject.includes('@') ? subject : userJid(subject));

export const personIn = (subject: string): { readonly phone: string | null; readonly lid: string | null } =>
  isLid(subject) ? { phone: null, lid: subject } : { phone: subject, lid: null };
