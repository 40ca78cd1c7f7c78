import type { Answers } from '../../questions.ts';
import { channelAnswers } from '../channels/channel-answers.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { accountAnswers } from './account.ts';
import { businessAnswers } from './business.ts';
import { accountCapabilities } from './capabilities.ts';
import { chatMarkAnswers } from './chat-marks.ts';
import { communityAnswers, groupAnswers } from './groups.ts';
import { historyAnswers } from './history.ts';
import { labelAnswers } from './labels.ts';
import { timerAnswers } from './timers.ts';

export const ANSWERS: Answers<ConnectionContext> = {
  capabilities: (context) => ({ groups: true, communities: true, channels: true, status: true, ...accountCapabilities(context) }),
  ...groupAnswers,
  ...communityAnswers,
  ...channelAnswers,
  ...accountAnswers,
  ...businessAnswers,
  ...labelAnswers,
  ...chatMarkAnswers,
  ...historyAnswers,
  ...timerAnswers,
  async 'presence.set'({ appearance }, { isAvailable }) {
    await appearance.set(isAvailable);
    return null;
  },
};
