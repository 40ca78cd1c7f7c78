import { isLid, phoneOf, userJid } from './jid.ts';

/**
 * Returns the key of a person in stored records, from the address of a 1:1 chat: the digits of a
 * number, or a hidden address. Returns null when the address is not a person's.
 */
export const subjectOf = (jid: string): string | null => phoneOf(jid) ?? (jid.endsWith('@lid') ? jid : null);

const HIDDEN = /^\d{1,30}@lid$/;

/** Returns the hidden address in a text; null when the text is not one. */
export function writtenLid(text: string): string | null {
  const bare = text.trim();
  return HIDDEN.test(bare) ? bare : null;
}

/** Returns the address of the 1:1 chat with a person. */
export const addressOf = (subject: string): string => (subject.includes('@') ? subject : userJid(subject));

/**
 * Returns the person as callers see them: the digits, or the hidden address while the network hides
 * the number.
 */
export const personIn = (subject: string): { readonly phone: string | null; readonly lid: string | null } =>
  isLid(subject) ? { phone: null, lid: subject } : { phone: subject, lid: null };
