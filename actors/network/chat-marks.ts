import type { Asks, QuestionKind } from './question.ts';

/** The latest change to a mark wins. Drivers also report their own changes as `chatMarks`. */
export interface ChatMarkQuestions {
  /** Does not overwrite marks that changed later. Fails with CONFLICT if the phone rejects the change. */
  readonly 'chats.mark': Asks<SetChatMarks, readonly ChatMark[]>;
}

export const CHAT_MARK_QUESTIONS = { 'chats.mark': 'change' } as const satisfies Readonly<Record<keyof ChatMarkQuestions, QuestionKind>>;

export const CHAT_MARKS = ['archived', 'pinned', 'muted_until', 'unread'] as const;
export type ChatMarkName = (typeof CHAT_MARKS)[number];

export type ChatMarkValue = boolean | number | null;

export const MUTED_FOR_EVER = 253_402_300_799_000;

export interface ChatMark {
  readonly name: ChatMarkName;
  readonly value: ChatMarkValue;
  readonly at: number;
}

export interface SetChatMarks {
  readonly id: string;
  readonly marks: readonly ChatMark[];
  /** The chat's last message. Phones reject some changes without it. */
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
