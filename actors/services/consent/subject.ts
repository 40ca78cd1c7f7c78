import { phoneOf, userJid } from '../../network/jid.ts';

/** Who is meant, in the store of consents, by the address of a 1:1 chat: the digits of a number, or a hidden address. Null: no person. */
export const subjectOf = (jid: string): string | null => phoneOf(jid) ?? (jid.endsWith('@lid') ? jid : null);

/** The address of a 1:1 chat with them. */
export const addressOf = (subject: string): string => (subject.includes('@') ? subject : userJid(subject));
