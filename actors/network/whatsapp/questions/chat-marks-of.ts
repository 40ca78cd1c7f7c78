import type { ChatMark, SetChatMarks } from '../../chat-marks.ts';

/** The marks of chats of a login, as its driver keeps them. */
export interface ChatMarks {
  /** Sets one mark of the chat that the account knows by this address, unless it was changed at that time or later; answers it as it is then. */
  set(jid: string, mark: ChatMark, last: SetChatMarks['last']): Promise<ChatMark>;
}
