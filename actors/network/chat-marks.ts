import type { Asks, QuestionKind } from './question.ts';

/**
 * How the phone shows a chat: archived, pinned, muted, marked as unread. The phone and its devices share each mark with the time of its last change, and
 * the later change holds on both sides. A driver reports what changed as `chatMarks`, also what this device changed itself, and the device's store keeps
 * value and time with the chat (services/conversations/chat-marks.ts).
 */
export interface ChatMarkQuestions {
  /**
   * Sets marks of one chat as they were changed at `at`. A mark that was changed at that time or later stays; those are answered as they are now. Refuses
   * CONFLICT where the phone does not take the change or its keys are missing, and NOT_FOUND for somebody whom the network does not know.
   */
  readonly 'chats.mark': Asks<SetChatMarks, readonly ChatMark[]>;
}

export const CHAT_MARK_QUESTIONS = { 'chats.mark': 'change' } as const satisfies Readonly<Record<keyof ChatMarkQuestions, QuestionKind>>;

export const CHAT_MARKS = ['archived', 'pinned', 'muted_until', 'unread'] as const;
export type ChatMarkName = (typeof CHAT_MARKS)[number];

/** `muted_until`: epoch ms, null: not muted, `MUTED_FOR_EVER`. The others: true or false. */
export type ChatMarkValue = boolean | number | null;

/** The end of the year 9999. */
export const MUTED_FOR_EVER = 253_402_300_799_000;

export interface ChatMark {
  readonly name: ChatMarkName;
  readonly value: ChatMarkValue;
  /** When it was changed, epoch ms. */
  readonly at: number;
}

export interface SetChatMarks {
  /** Full address of the chat. */
  readonly id: string;
  readonly marks: readonly ChatMark[];
  /** The last message of the chat, without which phones do not accept some marks. */
  readonly last?: { readonly netId: string; readonly from: string | null; readonly at: number };
}

/** A mark of a chat, as the phone and its devices have it. */
export interface MarkedChat extends ChatMark {
  /** Full address of a person or a group. */
  readonly chat: string;
  /** The other address of the person, where it is known. */
  readonly chatAlt?: string;
}

/** Chats are archived, pinned, muted or unread on the phone, as of the time of each mark. */
export interface ChatMarksEvent {
  readonly type: 'chatMarks';
  readonly token: string;
  readonly marks: readonly MarkedChat[];
}

/** Whether a value fits the mark. */
export const isMarkValue = (name: ChatMarkName, value: unknown): value is ChatMarkValue =>
  name === 'muted_until' ? value === null || typeof value === 'number' : typeof value === 'boolean';
