import type { Asks, QuestionKind } from './question.ts';

/**
 * The network reports typing only to accounts that appear online. While an account appears online,
 * its phone shows no notifications.
 */
export interface PresenceQuestions {
  readonly 'presence.set': Asks<{ readonly isAvailable: boolean }, null>;
}

export const PRESENCE_QUESTIONS = { 'presence.set': 'local' } as const satisfies Readonly<Record<keyof PresenceQuestions, QuestionKind>>;

export const PRESENCE_MODES = ['offline', 'online', 'auto'] as const;
export type PresenceMode = (typeof PRESENCE_MODES)[number];
