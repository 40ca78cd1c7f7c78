import type { Timer } from '../domain/message-timers.ts';
import type { Asks, QuestionKind } from './question.ts';

export interface TimerQuestions {
  readonly 'timers.set': Asks<{ readonly chat: string; readonly seconds: Timer }, null>;
}

export const TIMER_QUESTIONS = { 'timers.set': 'change' } as const satisfies Readonly<Record<keyof TimerQuestions, QuestionKind>>;

/**
 * A timer that a person set on their phone; 0: off. `at`: when it was set, by the network server's
 * clock, epoch ms.
 */
export interface TimerSetting {
  readonly type: 'timer';
  readonly token: string;
  readonly seconds: number;
  readonly at: number;
}

/** The timer of a sent message: seconds, and when the timer was set, epoch ms. */
export interface MessageTimer {
  readonly seconds: number;
  readonly at: number;
}
