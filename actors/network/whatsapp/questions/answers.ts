import type { Answers } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { communityAnswers, groupAnswers } from './groups.ts';

/** What the network can be asked through this driver. */
export const ANSWERS: Answers<ConnectionContext> = {
  capabilities: () => ({ groups: true, communities: true }),
  ...groupAnswers,
  ...communityAnswers,
};
