import type { Asks, QuestionKind } from './question.ts';

/**
 * Whether this account appears online, and who is typing; never stored. The network reports typing
 * only to accounts that are online, whose phones then do not show notifications.
 */
export interface PresenceQuestions {
  readonly 'presence.set': Asks<{ readonly isAvailable: boolean }, null>;
}

export const PRESENCE_QUESTIONS = { 'presence.set': 'local' } as const satisfies Readonly<Record<keyof PresenceQuestions, QuestionKind>>;

/** `auto`: online while a client watches typing indicators. */
export const PRESENCE_MODES = ['offline', 'online', 'auto'] as const;
export type PresenceMode = (typeof PRESENCE_MODES)[number];
