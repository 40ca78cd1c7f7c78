import type { ChatMark, SetChatMarks } from '../../chat-marks.ts';

export interface ChatMarks {
  /** Under the account's address for the chat, unless changed at that time or later. Returns its state. */
  set(jid: string, mark: ChatMark, last: SetChatMarks['last']): Promise<ChatMark>;
}
