import { isLid, phoneOf, userJid } from './jid.ts';

/** Returns a person's key in stored records: digits or a hidden address. Null for other addresses. */
export const subjectOf = (jid: string): string | null => phoneOf(jid) ?? (jid.endsWith('@lid') ? jid : null);

const HIDDEN = /^\d{1,30}@lid$/;

export function writtenLid(text: string): string | null {
  const bare = text.trim();
  return HIDDEN.test(bare) ? bare : null;
}

export const addressOf = (subject: string): string => (subject.includes('@') ? subject : userJid(subject));

export const personIn = (subject: string): { readonly phone: string | null; readonly lid: string | null } =>
  isLid(subject) ? { phone: null, lid: subject } : { phone: subject, lid: null };
