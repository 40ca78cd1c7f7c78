import type { Asks, QuestionKind } from './question.ts';

/** The phone responds later, with a `history` event. If the phone stays off, no event follows. */
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
  /** Whether the phone has more, older messages; null if it does not say. */
  readonly more: boolean | null;
}

const MONTH_MS = 31 * 86_400_000;

/** The newest `most` messages of each chat. `months` limits their age; null means no limit. */
export interface HistoryWanted {
  readonly most: number;
  readonly months: number | null;
}

export const wantedSince = ({ months }: HistoryWanted, now: number): number => (months === null ? 0 : now - months * MONTH_MS);
