import type { SandboxAnswers } from './answers.ts';
import { type GroupWorld, groupAnswers } from './group-answers.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** All questions that the sandbox answers. */
export const answersOf = (sandboxDeps: SandboxDeps, groupWorld: GroupWorld): SandboxAnswers => ({
  capabilities: () => ({ groups: true, communities: true }),
  ...groupAnswers(sandboxDeps, groupWorld),
});
