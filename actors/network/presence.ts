import type { Asks, QuestionKind } from './question.ts';

/**
 * Whether this account appears online, and who is typing; never stored. Typing is reported only to
 * online accounts, whose phones then show no notifications.
 */
export interface PresenceQuestions {
  readonly 'presence.set': Asks<{ readonly isAvailable: boolean }, null>;
}

export const PRESENCE_QUESTIONS = { 'presence.set': 'local' } as const satisfies Readonly<Record<keyof PresenceQuestions, QuestionKind>>;

/** `auto`: online while somebody watches typing indicators. */
export const PRESENCE_MODES = ['offline', 'online', 'auto'] as const;
export type PresenceMode = (typeof PRESENCE_MODES)[number];
