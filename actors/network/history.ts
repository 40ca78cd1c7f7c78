import type { Asks, QuestionKind } from './question.ts';

/** The phone's response arrives later as a `history` event, or never if the phone stays off. */
export interface HistoryQuestions {
  readonly 'history.older': Asks<OlderRequest, null>;
}

export const HISTORY_QUESTIONS = { 'history.older': 'change' } as const satisfies Readonly<Record<keyof HistoryQuestions, QuestionKind>>;

export const MOST_OLDER = 50;

export interface OlderRequest {
  readonly request: string;
  readonly chat: string;
  readonly before: { readonly netId: string; readonly from: string | null; readonly at: number };
  readonly count: number;
}

export interface OlderAnswer {
  readonly request: string;
  /** Whether the phone has still older messages; null if it does not report this. */
  readonly more: boolean | null;
}

const MONTH_MS = 31 * 86_400_000;

/** The newest `most` messages per chat, at most `months` old; of any age if `months` is null. */
export interface HistoryWanted {
  readonly most: number;
  readonly months: number | null;
}

export const wantedSince = ({ months }: HistoryWanted, now: number): number => (months === null ? 0 : now - months * MONTH_MS);
