import type { Asks, QuestionKind } from './question.ts';

/**
 * Presence: whether this account shows itself online, and who writes to it at the moment. The network tells the second only to those who show the first,
 * and while a device shows itself online the account's phone gets no notifications. Nothing of it is stored.
 */
export interface PresenceQuestions {
  readonly 'presence.set': Asks<{ readonly isAvailable: boolean }, null>;
}

export const PRESENCE_QUESTIONS = { 'presence.set': 'local' } as const satisfies Readonly<Record<keyof PresenceQuestions, QuestionKind>>;

/** `auto`: online while somebody watches who writes. */
export const PRESENCE_MODES = ['offline', 'online', 'auto'] as const;
export type PresenceMode = (typeof PRESENCE_MODES)[number];
