import { present } from '../../../../runtime/invariant.ts';
import type { Random } from '../../../../runtime/random.ts';
import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import type { KnowledgeIndex, Unit } from './knowledge-index.ts';
import { sentencesOf } from './sentences.ts';
import { meaningsOf, type Terms, termsOf } from './terms.ts';
import { linesOf } from './word-lists.ts';
import { OFF_TOPIC } from './words/off-topic.ts';

export interface Quality {
  readonly answered: number;
  readonly right: number;
  readonly false: number;
}

/** Minimum scores. Higher for passages, because they mention much that they do not explain. */
export interface Thresholds {
  readonly answers: number;
  readonly passages: number;
}

export interface Calibration {
  readonly thresholds: Thresholds;
  readonly quality: Quality;
}

/** A test question. `isRight` is null if no source answers it. */
export interface Trial {
  readonly score: number;
  readonly isRight: boolean | null;
}

export interface Trials {
  readonly offTopic: readonly number[];
  readonly own: readonly Trial[];
}

/** The lowest threshold. With a lower one, a small collection would answer unrelated questions. */
const FLOOR = 0.45;
/** The highest threshold. A higher one would leave most questions unanswered and avoid few errors. */
const CEILING = 0.7;
const PASSAGES_NEED_MORE = 0.1;
const OFF_TOPIC_SHARE = 0.97;
const PSEUDO_SHARE = 0.9;
const TRIALS = 60;
const QUESTION_WORDS = 6;

export type TrialTask = { readonly line: string } | { readonly entry: number };

export function trialTasks(index: KnowledgeIndex, random: Random): readonly TrialTask[] {
  return [...linesOf(OFF_TOPIC).map((line) => ({ line })), ...sample(index.size, TRIALS, random).map((entry) => ({ entry }))];
}

export function tried(index: KnowledgeIndex, tasks: readonly TrialTask[], random: Random): Trials {
  const scoreOf = (question: SafeText | Terms, without?: number): number => index.search(question, 1, without)[0]?.score ?? 0;
  const own = tasks.flatMap((task): readonly Trial[] => {
    if (!('entry' in task)) return [];
    const unit = index.unitAt(task.entry);
    const question = pseudoQuestion(unit, random);
    if (question === null) return [];
    const [hit] = index.search(question, 1);
    return [
      { score: hit?.score ?? 0, isRight: hit?.unit === unit },
      { score: scoreOf(question, task.entry), isRight: null },
    ];
  });
  return { offTopic: tasks.flatMap((task) => ('line' in task ? [scoreOf(safeText(task.line))] : [])), own };
}

/** Saved answers are few and varied, so only off-topic questions test their threshold. */
export function calibrated(answers: Trials, passages: Trials, fixed: number | null): Calibration {
  const thresholds =
    fixed === null ? thresholdsOf(answers, passages) : { answers: fixed, passages: round(Math.min(1, fixed + PASSAGES_NEED_MORE)) };
  const judged = [...judgedAt(thresholds.answers, answers), ...judgedAt(thresholds.passages, passages)];
  const answerable = judged.filter(({ isRight }) => isRight !== null);
  const answered = answerable.filter(({ isAnswered }) => isAnswered);
  const others = judged.filter(({ isRight }) => isRight === null);
  return {
    thresholds,
    quality: {
      answered: share(answered.length, answerable.length),
      right: share(answered.filter(({ isRight }) => isRight).length, answered.length),
      false: share(others.filter(({ isAnswered }) => isAnswered).length, others.length),
    },
  };
}

function thresholdsOf(answers: Trials, passages: Trials): Thresholds {
  const ofAnswers = Math.min(CEILING, Math.max(FLOOR, percentile(answers.offTopic, OFF_TOPIC_SHARE)));
  const unanswerable = passages.own.filter(({ isRight }) => isRight === null).map(({ score }) => score);
  const ofPassages = Math.max(percentile(passages.offTopic, OFF_TOPIC_SHARE), percentile(unanswerable, PSEUDO_SHARE));
  return { answers: round(ofAnswers), passages: round(Math.max(FLOOR + PASSAGES_NEED_MORE, Math.min(CEILING, ofPassages))) };
}

function judgedAt(
  threshold: number,
  { offTopic, own }: Trials,
): readonly { readonly isRight: boolean | null; readonly isAnswered: boolean }[] {
  if (own.length === 0) return [];
  const all = [...own, ...offTopic.map((score) => ({ score, isRight: null }))];
  return all.map(({ score, isRight }) => ({ isRight, isAnswered: score >= threshold }));
}

/** Makes up a question, sometimes with an unknown word, because customers also use such words. */
function pseudoQuestion(unit: Unit, random: Random): Terms | null {
  const sources = unit.kind === 'answer' ? unit.questions : sentencesOf(unit.text);
  const words = meaningsOf(safeText(sources[Math.floor(random() * sources.length)] ?? ''));
  if (words.length === 0) return null;
  const chosen = sample(words.length, QUESTION_WORDS, random).map((at) => present(words[at], 'a word of the question'));
  return termsOf(safeText((random() < STRANGE_SHARE ? [...chosen, STRANGE] : chosen).join(' ')));
}

const STRANGE_SHARE = 0.5;
const STRANGE = 'qwzx';

function sample(size: number, count: number, random: Random): readonly number[] {
  const all = Array.from({ length: size }, (_, at) => at);
  if (size <= count) return all;
  for (let at = 0; at < count; at += 1) {
    const other = at + Math.floor(random() * (size - at));
    [all[at], all[other]] = [present(all[other], 'an index'), present(all[at], 'an index')];
  }
  return all.slice(0, count).toSorted((one, other) => one - other);
}

function percentile(values: readonly number[], part: number): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((one, other) => one - other);
  return present(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))], 'a percentile');
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : round(part / whole));
const round = (value: number): number => Math.round(value * 1_000) / 1_000;
