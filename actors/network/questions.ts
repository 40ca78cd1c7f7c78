import { Refusal } from '../../runtime/errors.ts';
import { ACCOUNT_QUESTIONS, type AccountQuestions } from './account.ts';
import { BUSINESS_QUESTIONS, type BusinessQuestions } from './business.ts';
import { CHANNEL_QUESTIONS, type ChannelQuestions } from './channels.ts';
import { CHAT_MARK_QUESTIONS, type ChatMarkQuestions } from './chat-marks.ts';
import { GROUP_QUESTIONS, type GroupQuestions } from './groups.ts';
import { HISTORY_QUESTIONS, type HistoryQuestions } from './history.ts';
import { LABEL_QUESTIONS, type LabelQuestions } from './labels.ts';
import { PRESENCE_QUESTIONS, type PresenceQuestions } from './presence.ts';
import type { Asks, None, QuestionKind } from './question.ts';
import { TIMER_QUESTIONS, type TimerQuestions } from './timers.ts';

/** All questions by name. A driver refuses one that it does not support with NOT_FOUND. */
export interface Questions
  extends GroupQuestions,
    ChannelQuestions,
    AccountQuestions,
    BusinessQuestions,
    LabelQuestions,
    ChatMarkQuestions,
    PresenceQuestions,
    HistoryQuestions,
    TimerQuestions {
  readonly capabilities: Asks<None, Capabilities>;
}

export const ABILITIES = [
  'groups',
  'communities',
  'channels',
  'business',
  'catalog',
  'labels',
  'account',
  'people',
  'blocklist',
  'status',
  'calls',
] as const;

export type Ability = (typeof ABILITIES)[number];

export type Capabilities = { readonly [A in Ability]?: true | { readonly reason: { readonly en: string; readonly id: string } } };

export type QuestionName = keyof Questions;
export type InputOf<N extends QuestionName> = Questions[N]['input'];
export type AnswerOf<N extends QuestionName> = Questions[N]['answer'];

export type ToldCaller<N extends QuestionName> = N extends 'groups.list' ? null : AnswerOf<N>;

export interface NetworkQuestion {
  readonly name: QuestionName;
  readonly input: InputOf<QuestionName>;
}

export const QUESTIONS: { readonly [N in QuestionName]: QuestionKind } = {
  capabilities: 'local',
  ...GROUP_QUESTIONS,
  ...ACCOUNT_QUESTIONS,
  ...BUSINESS_QUESTIONS,
  ...LABEL_QUESTIONS,
  ...CHANNEL_QUESTIONS,
  ...CHAT_MARK_QUESTIONS,
  ...PRESENCE_QUESTIONS,
  ...HISTORY_QUESTIONS,
  ...TIMER_QUESTIONS,
};

/** Rejects with a Refusal from the network, NOT_FOUND (not supported) or NOT_CONNECTED. */
export type AskNetwork = <N extends QuestionName>(name: N, input: InputOf<N>) => Promise<AnswerOf<N>>;

export type Answers<Context, Part = Questions> = {
  readonly [N in keyof Part & QuestionName]: (context: Context, input: InputOf<N>) => AnswerOf<N> | Promise<AnswerOf<N>>;
};

export const LOOK_FIRST = {
  en: 'the change may have been made anyway; check before you try again',
  id: 'perubahan mungkin tetap terjadi; periksa dahulu sebelum mencoba lagi',
};

const NO_ABILITY = { en: 'this network does not support this', id: 'jaringan ini tidak mendukung hal ini' };

export const noSuchQuestion = (): Refusal => new Refusal('NOT_FOUND', { reason: NO_ABILITY });

export function answerFrom<Context, N extends QuestionName>(
  answers: { readonly [Name in QuestionName]?: (context: Context, input: InputOf<Name>) => AnswerOf<Name> | Promise<AnswerOf<Name>> },
  context: Context,
  name: N,
  input: InputOf<N>,
): AnswerOf<N> | Promise<AnswerOf<N>> {
  const answer = answers[name];
  if (!answer) throw noSuchQuestion();
  return answer(context, input);
}
