import type { ChatMark, SetChatMarks } from '../../chat-marks.ts';

export interface ChatMarks {
  set(jid: string, mark: ChatMark, last: SetChatMarks['last']): Promise<ChatMark>;
}
