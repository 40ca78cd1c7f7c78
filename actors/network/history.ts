import type { Asks, QuestionKind } from './question.ts';

/**
 * Older messages of a chat, which the phone alone has. The question hands the request to the phone; what it answers comes later, as a `history` event
 * that names the request. A phone that is off answers when it is on again, or never.
 */
export interface HistoryQuestions {
  readonly 'history.older': Asks<OlderRequest, null>;
}

export const HISTORY_QUESTIONS = { 'history.older': 'change' } as const satisfies Readonly<Record<keyof HistoryQuestions, QuestionKind>>;

/** The most that a phone answers at once. */
export const MOST_OLDER = 50;

export interface OlderRequest {
  /** Our id of the request, as those of messages are. */
  readonly request: string;
  /** Full address of the chat. */
  readonly chat: string;
  /** The oldest message that is known; those before it are asked for. `from`: null: this device's own number. */
  readonly before: { readonly netId: string; readonly from: string | null; readonly at: number };
  /** 1 to MOST_OLDER. */
  readonly count: number;
}

/** Which request the messages of a `history` event answer. */
export interface OlderAnswer {
  readonly request: string;
  /** The phone has older ones still; null: it does not say. */
  readonly more: boolean | null;
}

const MONTH_MS = 31 * 86_400_000;

/** What is taken over of each chat when a phone is linked: the newest `most` messages that are `months` old at most; null: of any age. */
export interface HistoryWanted {
  readonly most: number;
  readonly months: number | null;
}

/** Messages from before that, epoch ms, are not taken over. */
export const wantedSince = ({ months }: HistoryWanted, now: number): number => (months === null ? 0 : now - months * MONTH_MS);
