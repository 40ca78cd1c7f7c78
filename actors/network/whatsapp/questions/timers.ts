import type { Answers } from '../../questions.ts';
import type { TimerQuestions } from '../../timers.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** Sets a timer by sending a message to the chat, which our own phone receives, too. */
export const timerAnswers: Answers<ConnectionContext, TimerQuestions> = {
  async 'timers.set'({ chatSettings, library, clock }, { chat, seconds }) {
    const type = library.proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING;
    const ephemeralSettingTimestamp = Math.floor(clock.now() / 1_000);
    await chatSettings.set(chat, { protocolMessage: { type, ephemeralExpiration: seconds, ephemeralSettingTimestamp } });
    return null;
  },
};
