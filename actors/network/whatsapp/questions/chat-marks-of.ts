import type { ChatMark, SetChatMarks } from '../../chat-marks.ts';

/** The chat marks of a login, as stored by its driver. */
export interface ChatMarks {
  /**
   * Sets one mark of the chat under the account's address for it, unless it was changed at that
   * time or later; returns its current state.
   */
  set(jid: string, mark: ChatMark, last: SetChatMarks['last']): Promise<ChatMark>;
}
