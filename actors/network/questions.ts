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

/**
 * What a device can be asked about its account beyond messages: one small table of questions for each ability (groups.ts, …), in all of them one
 * JSON object in and JSON out. A driver answers those that it has (`Connection.ask`); of the others it knows nothing (404).
 *
 * To add an ability: a file beside this one with its questions and their kinds, a line in `Questions` and `QUESTIONS`, and its name in
 * `ABILITIES`. The way from an endpoint to the driver and back (behaviour/questions.ts of the device) needs no change.
 */
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
  /** What this account can do; an ability that is left out is not there. */
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

/** `reason`: a sentence in both languages. */
export type Capabilities = { readonly [A in Ability]?: true | { readonly reason: { readonly en: string; readonly id: string } } };

export type QuestionName = keyof Questions;
export type InputOf<N extends QuestionName> = Questions[N]['input'];
export type AnswerOf<N extends QuestionName> = Questions[N]['answer'];

/** What callers are told: the device keeps the list of groups where they read it. */
export type ToldCaller<N extends QuestionName> = N extends 'groups.list' ? null : AnswerOf<N>;

/** Any question, as data. */
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

/** What a connection that can be asked has: rejects with a Refusal of the network (network-refusal.ts), NOT_FOUND (no such question), or NOT_CONNECTED. */
export type AskNetwork = <N extends QuestionName>(name: N, input: InputOf<N>) => Promise<AnswerOf<N>>;

/** The answers of a driver, or those of one ability. */
export type Answers<Context, Part = Questions> = {
  readonly [N in keyof Part & QuestionName]: (context: Context, input: InputOf<N>) => AnswerOf<N> | Promise<AnswerOf<N>>;
};

/** Of a change whose answer is lost. */
export const LOOK_FIRST = {
  en: 'it may have happened all the same; look first, before you ask again',
  id: 'perubahan mungkin tetap terjadi; periksa dahulu sebelum meminta lagi',
};

const NO_ABILITY = { en: 'this network does not have it', id: 'jaringan ini tidak memilikinya' };

export const noSuchQuestion = (): Refusal => new Refusal('NOT_FOUND', { reason: NO_ABILITY });

/** Finds the answer to a question in a driver's table. Refuses NOT_FOUND where there is none. */
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
