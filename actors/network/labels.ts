import type { Asks, None, QuestionKind } from './question.ts';

export interface LabelQuestions {
  /** Returns labels as last synced between the account's devices. Sends no network request. */
  readonly 'labels.list': Asks<None, readonly LabelledChats[]>;
  /** Fails with CONFLICT if keys are missing or the maximum number of labels is reached. */
  readonly 'labels.create': Asks<LabelFacts, Label>;
  readonly 'labels.update': Asks<AtLabel & Partial<LabelFacts>, Label>;
  readonly 'labels.delete': Asks<AtLabel, null>;
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
  /** Index in the network's palette, 0 to 19. */
  readonly color: number;
}

export interface Label extends LabelFacts {
  readonly id: string;
}

export interface LabelledChats extends Label {
  readonly chats: readonly LabelledChat[];
}

export interface LabelledChat {
  readonly chat_id: string;
  readonly phone: string | null;
  readonly lid: string | null;
}

export type LabelFact =
  | { readonly fact: 'label.updated'; readonly label: Label }
  | { readonly fact: 'label.deleted'; readonly label_id: string }
  | { readonly fact: 'label.assigned' | 'label.unassigned'; readonly label_id: string; readonly chat: LabelledChat };
