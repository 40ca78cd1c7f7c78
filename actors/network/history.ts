import type { Asks, QuestionKind } from './question.ts';

/**
 * Older messages of a chat. The phone's response arrives later, as a `history` event that names the
 * request. A phone that is off responds when it is on again, or never.
 */
export interface HistoryQuestions {
  readonly 'history.older': Asks<OlderRequest, null>;
}

export const HISTORY_QUESTIONS = { 'history.older': 'change' } as const satisfies Readonly<Record<keyof HistoryQuestions, QuestionKind>>;

export const MOST_OLDER = 50;

export interface OlderRequest {
  /** Our request id, in the format of message ids. */
  readonly request: string;
  readonly chat: string;
  /** The messages must be older than this known message. `from`: null for this device's own number. */
  readonly before: { readonly netId: string; readonly from: string | null; readonly at: number };
  readonly count: number;
}

export interface OlderAnswer {
  readonly request: string;
  /** Whether the phone has even older messages; null if the phone does not report it. */
  readonly more: boolean | null;
}

const MONTH_MS = 31 * 86_400_000;

/** Which history to import per chat: the newest `most` messages, at most `months` old (null: any age). */
export interface HistoryWanted {
  readonly most: number;
  readonly months: number | null;
}

/** Returns the time (epoch ms) before which messages are not imported. */
export const wantedSince = ({ months }: HistoryWanted, now: number): number => (months === null ? 0 : now - months * MONTH_MS);
