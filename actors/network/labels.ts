import type { Asks, None, QuestionKind } from './question.ts';

/** Labels on chats, as all devices of an account share them. */
export interface LabelQuestions {
  /** As the account's devices last agreed: the network is not asked. */
  readonly 'labels.list': Asks<None, readonly LabelledChats[]>;
  /** Refuses CONFLICT while the account's keys are not there yet, and when there is no room for another label. */
  readonly 'labels.create': Asks<LabelFacts, Label>;
  /** Refuses NOT_FOUND, as do those below. */
  readonly 'labels.update': Asks<AtLabel & Partial<LabelFacts>, Label>;
  readonly 'labels.delete': Asks<AtLabel, null>;
  /** Nothing changes where it is so already. */
  readonly 'labels.mark': Asks<AtLabel & { readonly chat: string; readonly labelled: boolean }, null>;
}

export const LABEL_QUESTIONS = {
  'labels.list': 'local',
  'labels.create': 'change',
  'labels.update': 'change',
  'labels.delete': 'change',
  'labels.mark': 'change',
} as const satisfies Readonly<Record<keyof LabelQuestions, QuestionKind>>;

export const LABEL_COLORS = 20;

export interface AtLabel {
  readonly id: string;
}

export interface LabelFacts {
  readonly name: string;
  /** 0 to 19, of the network's own palette. */
  readonly color: number;
}

export interface Label extends LabelFacts {
  readonly id: string;
}

export interface LabelledChats extends Label {
  readonly chats: readonly LabelledChat[];
}

export interface LabelledChat {
  /** Full address: of a person by number where it is known, or of a group. */
  readonly chat_id: string;
  /** Digits. */
  readonly phone: string | null;
  readonly lid: string | null;
}

/** What happened to labels, here or on another device of the account. */
export type LabelFact =
  | { readonly fact: 'label.updated'; readonly label: Label }
  | { readonly fact: 'label.deleted'; readonly label_id: string }
  | { readonly fact: 'label.assigned' | 'label.unassigned'; readonly label_id: string; readonly chat: LabelledChat };
