import { type AnswerOf, type InputOf, noSuchQuestion, type QuestionName, type Questions } from '../questions.ts';
import type { LinkedDevice } from './devices.ts';
import { groupAnswers } from './group-answers.ts';
import type { Inboxes } from './inboxes.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** What the network answers a device that is logged in: at once, or it throws a Refusal. */
export type SandboxAnswers<Part = Questions> = {
  readonly [N in keyof Part & QuestionName]: (device: LinkedDevice, input: InputOf<N>) => AnswerOf<N>;
};

/** All questions that the sandbox answers. */
export const answersOf = (sandboxDeps: SandboxDeps, inboxes: Inboxes): SandboxAnswers => ({
  capabilities: () => ({ groups: true }),
  ...groupAnswers(sandboxDeps, inboxes),
});

/** Refuses as the network does, and NOT_FOUND where it has no such question. */
export function sandboxAnswer<N extends QuestionName>(
  answers: SandboxAnswers,
  device: LinkedDevice,
  name: N,
  input: InputOf<N>,
): AnswerOf<N> {
  if (!Object.hasOwn(answers, name)) throw noSuchQuestion();
  return answers[name](device, input);
}
