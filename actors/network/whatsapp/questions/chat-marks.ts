import type { ChatMark, ChatMarkQuestions } from '../../chat-marks.ts';
import type { Answers } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { keyOf } from './labels.ts';

export const chatMarkAnswers: Answers<ConnectionContext, ChatMarkQuestions> = {
  async 'chats.mark'(context, { id, marks, last }) {
    const jid = await keyOf(context, id);
    const set: ChatMark[] = [];
    for (const mark of marks) set.push(await context.chatMarks.set(jid, mark, last));
    return set;
  },
};
