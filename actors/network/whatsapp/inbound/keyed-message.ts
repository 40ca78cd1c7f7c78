import type { WAMessage } from '../library.ts';

/** A message as the network delivers it: under an id, in a conversation. The library's own type does not promise either. */
export interface KeyedMessage extends WAMessage {
  key: WAMessage['key'] & { id: string; remoteJid: string };
}

/** Throws a TypeError for a message that lacks either: nothing could be stored or acknowledged under it. */
export function keyed(message: WAMessage): KeyedMessage {
  if (hasKey(message)) return message;
  throw new TypeError('a message came without an id or a conversation');
}

const hasKey = (message: WAMessage): message is KeyedMessage => !!message.key.id && !!message.key.remoteJid;
