import type { KeptEvent } from '../../port.ts';
import type { BinaryNode, WAMessage } from '../library.ts';

export interface KeyedMessage extends WAMessage {
  key: WAMessage['key'] & { id: string; remoteJid: string };
}

export function keyed(message: WAMessage): KeyedMessage {
  if (hasKey(message)) return message;
  throw new TypeError('a message arrived without an id or a chat');
}

/** Adds the author's username, which the library omits, to a message in a 1:1 chat. */
export function withUsername(message: KeyedMessage, { attrs }: BinaryNode): KeyedMessage {
  const { key } = message;
  if (!key.fromMe && !key.participant && attrs['username'] !== undefined) key.remoteJidUsername = attrs['username'];
  return message;
}

/** Includes the chat and the author, because senders choose ids, so they are not unique. */
export const nameOf = ({ id, remoteJid, participant }: KeyedMessage['key']): string =>
  [id, remoteJid, ...(participant ? [participant] : [])].join(' ');

const MAX_ID = 128;

/** Reads a message id or address that the sender wrote. Returns '' if it is too long to be valid. */
export const idIn = (text: string | null | undefined): string => (text && text.length <= MAX_ID ? text : '');

const hasKey = (message: WAMessage): message is KeyedMessage => !!message.key.id && !!message.key.remoteJid;

export const withToken = (event: KeptEvent, token: string): KeptEvent =>
  'message' in event ? { ...event, message: { ...event.message, token } } : { ...event, token };

export function netIdOf(event: KeptEvent): string {
  if ('message' in event) return event.message.netId;
  return 'netId' in event ? event.netId : event.token;
}
