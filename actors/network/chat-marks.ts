import type { Asks, QuestionKind } from './question.ts';

/**
 * How the phone shows a chat. The phone and its devices share each mark together with the time when
 * it was changed; the later change wins. A driver reports all changes as `chatMarks`, including
 * those that it makes itself (services/conversations/chat-marks.ts).
 */
export interface ChatMarkQuestions {
  /**
   * Sets marks that were changed at `at`. A mark that was changed at the same time or later keeps
   * its value, which is returned. Fails with CONFLICT if the phone rejects the change or keys are
   * missing, and NOT_FOUND if the person is unknown.
   */
  readonly 'chats.mark': Asks<SetChatMarks, readonly ChatMark[]>;
}

export const CHAT_MARK_QUESTIONS = { 'chats.mark': 'change' } as const satisfies Readonly<Record<keyof ChatMarkQuestions, QuestionKind>>;

export const CHAT_MARKS = ['archived', 'pinned', 'muted_until', 'unread'] as const;
export type ChatMarkName = (typeof CHAT_MARKS)[number];

/** `muted_until`: epoch ms, null when not muted, or `MUTED_FOR_EVER`. The other marks are booleans. */
export type ChatMarkValue = boolean | number | null;

/** The end of the year 9999, epoch ms. */
export const MUTED_FOR_EVER = 253_402_300_799_000;

export interface ChatMark {
  readonly name: ChatMarkName;
  readonly value: ChatMarkValue;
  /** When the mark was changed, epoch ms. */
  readonly at: number;
}

export interface SetChatMarks {
  readonly id: string;
  readonly marks: readonly ChatMark[];
  /** The last message of the chat; phones reject some marks without it. */
  readonly last?: { readonly netId: string; readonly from: string | null; readonly at: number };
}

export interface MarkedChat extends ChatMark {
  readonly chat: string;
  readonly chatAlt?: string;
}

export interface ChatMarksEvent {
  readonly type: 'chatMarks';
  readonly token: string;
  readonly marks: readonly MarkedChat[];
}

export const isMarkValue = (name: ChatMarkName, value: unknown): value is ChatMarkValue =>
  name === 'muted_until' ? value === null || typeof value === 'number' : typeof value === 'boolean';
