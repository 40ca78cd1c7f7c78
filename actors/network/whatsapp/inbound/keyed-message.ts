import type { KeptEvent } from '../../port.ts';
import type { BinaryNode, WAMessage } from '../library.ts';

/** A message as the network delivers it: under an id, in a conversation. The library's own type does not promise either. */
export interface KeyedMessage extends WAMessage {
  key: WAMessage['key'] & { id: string; remoteJid: string };
}

/** Throws a TypeError for a message that lacks either: nothing could be stored or acknowledged under it. */
export function keyed(message: WAMessage): KeyedMessage {
  if (hasKey(message)) return message;
  throw new TypeError('a message came without an id or a conversation');
}

/** Notes the name that the network itself gives of the writer in a chat of two, which the library leaves out. */
export function withUsername(message: KeyedMessage, { attrs }: BinaryNode): KeyedMessage {
  const { key } = message;
  if (!key.fromMe && !key.participant && attrs['username'] !== undefined) key.remoteJidUsername = attrs['username'];
  return message;
}

/**
 * The name of a message among those of all chats: senders choose ids, so that an id alone names nothing.
 */
export const nameOf = ({ id, remoteJid, participant }: KeyedMessage['key']): string =>
  [id, remoteJid, ...(participant ? [participant] : [])].join(' ');

const hasKey = (message: WAMessage): message is KeyedMessage => !!message.key.id && !!message.key.remoteJid;

/** The event under a token that no other message's has. */
export const withToken = (event: KeptEvent, token: string): KeptEvent =>
  'message' in event ? { ...event, message: { ...event.message, token } } : { ...event, token };

/** The network id of what brought an event; of a timer its token. */
export function netIdOf(event: KeptEvent): string {
  if ('message' in event) return event.message.netId;
  return 'netId' in event ? event.netId : event.token;
}
