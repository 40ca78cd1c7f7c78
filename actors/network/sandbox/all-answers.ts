import type { SandboxAnswers } from './answers.ts';
import { groupAnswers } from './group-answers.ts';
import type { Inboxes } from './inboxes.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** All questions that the sandbox answers. */
export const answersOf = (sandboxDeps: SandboxDeps, inboxes: Inboxes): SandboxAnswers => ({
  capabilities: () => ({ groups: true }),
  ...groupAnswers(sandboxDeps, inboxes),
});
