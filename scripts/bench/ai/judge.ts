import type { Quality } from '../../../actors/services/ai-reply/retrieval/calibration.ts';
import { Knowledge } from '../../../actors/services/ai-reply/retrieval/knowledge.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import type { EvaluationSet } from './evaluation-set.ts';

export interface Judged extends Quality {
  readonly threshold: number;
  /** Share of questions whose correct answer is the first hit, whatever its score. */
  readonly first: number;
  readonly expected: Quality;
}

export function knowledgeOf({ answers }: EvaluationSet): Knowledge {
  const knowledge = new Knowledge(seededRandom(1));
  knowledge.add(
    answers.map(({ id, question, answer }) => ({ kind: 'answer', id, questions: [safeText(question)], text: safeText(answer) })),
  );
  knowledge.pack();
  while (!knowledge.tryMore(50));
  return knowledge;
}

export function judge(set: EvaluationSet): Judged {
  const knowledge = knowledgeOf(set);
  const { thresholds, quality } = knowledge.calibration(null);
  const best = (text: string) => knowledge.find(safeText(text)).answers[0] ?? { id: '', score: 0 };
  const asked = set.asked.map(([text, id]) => ({ ...best(text), isRight: best(text).id === id }));
  const answered = asked.filter(({ score }) => score >= thresholds.answers);
  const wrongly = set.unanswerable.filter((text) => best(text).score >= thresholds.answers);
  return {
    threshold: thresholds.answers,
    first: asked.filter(({ isRight }) => isRight).length / asked.length,
    answered: answered.length / asked.length,
    right: answered.filter(({ isRight }) => isRight).length / answered.length,
    false: wrongly.length / set.unanswerable.length,
    expected: quality,
  };
}

export interface Counts {
  readonly asked: number;
  readonly first: number;
  readonly answered: number;
  readonly right: number;
  readonly unanswerable: number;
  readonly wrong: number;
}

export function judgeAll(sets: readonly EvaluationSet[]): Counts {
  const judged = sets.map((set) => ({ set, ...judge(set) }));
  const sum = (of: (one: (typeof judged)[number]) => number): number => Math.round(judged.reduce((total, one) => total + of(one), 0));
  return {
    asked: sum(({ set }) => set.asked.length),
    first: sum(({ first, set }) => first * set.asked.length),
    answered: sum((one) => one.answered * one.set.asked.length),
    right: sum((one) => one.right * one.answered * one.set.asked.length),
    unanswerable: sum(({ set }) => set.unanswerable.length),
    wrong: sum((one) => one.false * one.set.unanswerable.length),
  };
}

const Z95 = 1.96;

/** Returns Wilson's 95 % interval as `<key>From` and `<key>To`. */
export function withInterval(key: string, part: number, whole: number): Readonly<Record<string, number>> {
  const share = part / whole;
  const spread = Z95 * Math.sqrt((share * (1 - share)) / whole + (Z95 / (2 * whole)) ** 2);
  const [middle, scale] = [share + Z95 ** 2 / (2 * whole), 1 + Z95 ** 2 / whole];
  return { [key]: share, [`${key}From`]: (middle - spread) / scale, [`${key}To`]: (middle + spread) / scale };
}

export function judgeTogether(sets: readonly EvaluationSet[]): Judged {
  const named = (name: string, id: string): string => `${name}: ${id}`;
  return judge({
    name: 'together',
    answers: sets.flatMap(({ name, answers }) => answers.map((one) => ({ ...one, id: named(name, one.id) }))),
    asked: sets.flatMap(({ name, asked }) => asked.map(([text, id]) => [text, named(name, id)] as const)),
    unanswerable: sets.flatMap(({ unanswerable }) => unanswerable),
  });
}

export function judgeParts(set: EvaluationSet, size: number) {
  const counts = { asked: 0, answered: 0, right: 0, unanswerable: 0, wrong: 0 };
  for (let from = 0; from + size <= set.answers.length; from += size) {
    const answers = set.answers.slice(from, from + size);
    const knowledge = knowledgeOf({ ...set, answers });
    const threshold = knowledge.calibration(null).thresholds.answers;
    const answerTo = (text: string): string | undefined =>
      knowledge.find(safeText(text)).answers.find(({ score }) => score >= threshold)?.id;
    const wanted = set.asked.filter(([, id]) => answers.some((one) => one.id === id));
    const given = wanted.map(([text, id]) => ({ id, given: answerTo(text) })).filter(({ given }) => given !== undefined);
    counts.asked += wanted.length;
    counts.answered += given.length;
    counts.right += given.filter((one) => one.given === one.id).length;
    counts.unanswerable += set.unanswerable.length;
    counts.wrong += set.unanswerable.filter((text) => answerTo(text) !== undefined).length;
  }
  return counts;
}
