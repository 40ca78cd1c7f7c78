import type { Asks, QuestionKind } from './question.ts';

/**
 * Presence: whether this account appears online, and which customers are typing. The network
 * reports typing only to accounts that appear online. While a device appears online, the account's
 * phone shows no notifications. Presence is never stored.
 */
export interface PresenceQuestions {
  readonly 'presence.set': Asks<{ readonly isAvailable: boolean }, null>;
}

export const PRESENCE_QUESTIONS = { 'presence.set': 'local' } as const satisfies Readonly<Record<keyof PresenceQuestions, QuestionKind>>;

/** `auto`: online while somebody watches typing indicators. */
export const PRESENCE_MODES = ['offline', 'online', 'auto'] as const;
export type PresenceMode = (typeof PRESENCE_MODES)[number];
