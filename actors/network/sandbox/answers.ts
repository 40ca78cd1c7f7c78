import { type AnswerOf, type InputOf, noSuchQuestion, type QuestionName, type Questions } from '../questions.ts';
import type { LinkedDevice } from './devices.ts';

export type SandboxAnswers<Part = Questions> = {
  readonly [N in keyof Part & QuestionName]: (device: LinkedDevice, input: InputOf<N>) => AnswerOf<N>;
};

export function sandboxAnswer<N extends QuestionName>(
  answers: SandboxAnswers,
  device: LinkedDevice,
  name: N,
  input: InputOf<N>,
): AnswerOf<N> {
  if (!Object.hasOwn(answers, name)) throw noSuchQuestion();
  return answers[name](device, input);
}
