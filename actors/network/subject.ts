import { isLid, phoneOf, userJid } from './jid.ts';

/** A person's key in stored records: digits or hidden address. Null for other addresses. */
export const subjectOf = (jid: string): string | null => phoneOf(jid) ?? (jid.endsWith('@lid') ? jid : null);

const HIDDEN = /^\d{1,30}@lid$/;

/** Returns the string as a hidden address; null if it is not one. */
export function writtenLid(text: string): string | null {
  const bare = text.trim();
  return HIDDEN.test(bare) ? bare : null;
}

export const addressOf = (subject: string): string => (subject.includes('@') ? subject : userJid(subject));

/** Returns the digits, or the hidden address while the network hides the number. */
export const personIn = (subject: string): { readonly phone: string | null; readonly lid: string | null } =>
  isLid(subject) ? { phone: null, lid: subject } : { phone: subject, lid: null };
