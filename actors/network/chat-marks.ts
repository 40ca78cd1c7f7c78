import type { Asks, QuestionKind } from './question.ts';

/**
 * How the phone shows a chat: archived, pinned, muted, marked as unread. The phone and its devices
 * share each mark with the time of its last change, and the later change wins. A driver reports
 * changes as `chatMarks`, including those of this device. The device stores value and time with the
 * chat (services/conversations/chat-marks.ts).
 */
export interface ChatMarkQuestions {
  /**
   * Sets marks of one chat, as changed at `at`. A mark whose stored change is at that time or later
   * is kept, and its current value is returned. Refuses CONFLICT when the phone rejects the change
   * or its keys are missing, and NOT_FOUND for a person unknown to the network.
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
  /** Full address of the chat. */
  readonly id: string;
  readonly marks: readonly ChatMark[];
  /** The last message of the chat; phones reject some marks without it. */
  readonly last?: { readonly netId: string; readonly from: string | null; readonly at: number };
}

/** A mark of one chat, as shared by the phone and its devices. */
export interface MarkedChat extends ChatMark {
  /** Full address of a person or a group. */
  readonly chat: string;
  /** The other address of the person, if known. */
  readonly chatAlt?: string;
}

/** Marks of chats that changed on the phone or on a device, each with the time of its change. */
export interface ChatMarksEvent {
  readonly type: 'chatMarks';
  readonly token: string;
  readonly marks: readonly MarkedChat[];
}

/** Whether a value fits the mark. */
export const isMarkValue = (name: ChatMarkName, value: unknown): value is ChatMarkValue =>
  name === 'muted_until' ? value === null || typeof value === 'number' : typeof value === 'boolean';
