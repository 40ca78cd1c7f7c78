import type { ChatMark, SetChatMarks } from '../../chat-marks.ts';

export interface ChatMarks {
  /**
   * Sets a mark under the account's address for the chat, unless it was changed at that time or
   * later. Returns the mark's state.
   */
  set(jid: string, mark: ChatMark, last: SetChatMarks['last']): Promise<ChatMark>;
}
