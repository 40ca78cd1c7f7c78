import { isBroadcast, STORIES, userOf } from '../../jid.ts';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import type { KeyedMessage } from './keyed-message.ts';

/**
 * Handles messages that the owner writes to a broadcast list on the phone. Each becomes a message
 * in the chat with every named recipient, or a single message to the list.
 */

const isOfList = ({ remoteJid }: KeyedMessage['key']): boolean => isBroadcast(remoteJid) && remoteJid !== STORIES;

/** The library recognizes only our number as the author, not our hidden address. */
export function ofOurs(message: KeyedMessage, { lid }: { readonly lid?: string }): KeyedMessage {
  const { key } = message;
  const author = userOf(key.participant ?? undefined);
  if (isOfList(key) && author !== undefined && author === userOf(lid)) key.fromMe = true;
  return message;
}

export function copiesOf(message: KeyedMessage, { content }: BinaryNode): readonly KeyedMessage[] {
  if (!message.key.fromMe || !isOfList(message.key) || !Array.isArray(content)) return [message];
  const named = content.find(({ tag }) => tag === 'participants')?.content;
  const recipients = (Array.isArray(named) ? named : []).filter(({ tag, attrs }) => tag === 'to' && !!attrs['jid']).slice(0, MOST);
  const copies = recipients.map(({ attrs: { jid = '', peer_recipient_pn: pn, peer_recipient_lid: lid } }): KeyedMessage => {
    const { participant: _author, participantAlt: _other, remoteJidAlt: _list, ...key } = message.key;
    const alt = pn ?? lid;
    return { ...message, key: { ...key, remoteJid: jid, ...(alt && { remoteJidAlt: alt }) } };
  });
  return copies.length > 0 ? copies : [message];
}

const MOST = 256;

export function withList(event: KeptEvent, { key }: KeyedMessage): KeptEvent {
  return event.type === 'wrote' && isOfList(key) ? { ...event, message: { ...event.message, list: key.remoteJid } } : event;
}
