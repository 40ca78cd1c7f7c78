import type { Timer } from '../domain/message-timers.ts';
import type { Asks, QuestionKind } from './question.ts';

export interface TimerQuestions {
  readonly 'timers.set': Asks<{ readonly chat: string; readonly seconds: Timer }, null>;
}

export const TIMER_QUESTIONS = { 'timers.set': 'change' } as const satisfies Readonly<Record<keyof TimerQuestions, QuestionKind>>;

/** A chat's timer. `at` is when it was set, by the network's clock. `seconds` is 0 if it is off. */
export interface TimerSetting {
  readonly type: 'timer';
  readonly token: string;
  readonly seconds: number;
  readonly at: number;
}

export interface MessageTimer {
  readonly seconds: number;
  readonly at: number;
}
