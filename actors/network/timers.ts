import type { Timer } from '../domain/message-timers.ts';
import type { Asks, QuestionKind } from './question.ts';

/** The timer of disappearing messages of a chat of two. That of a group is a setting of the group (groups.ts). */
export interface TimerQuestions {
  readonly 'timers.set': Asks<{ readonly chat: string; readonly seconds: Timer }, null>;
}

export const TIMER_QUESTIONS = { 'timers.set': 'change' } as const satisfies Readonly<Record<keyof TimerQuestions, QuestionKind>>;

/** Somebody set the timer of a chat of two, on their phone. 0: off. `at`: when, as the network's server says it, epoch ms. */
export interface TimerSetting {
  readonly type: 'timer';
  readonly token: string;
  readonly seconds: number;
  readonly at: number;
}

/** The timer under which a message is sent: seconds, and when it was set, epoch ms. */
export interface MessageTimer {
  readonly seconds: number;
  readonly at: number;
}
