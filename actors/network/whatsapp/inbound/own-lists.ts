import { isBroadcast, STORIES, userOf } from '../../jid.ts';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import type { KeyedMessage } from './keyed-message.ts';

/**
 * Reads messages that the owner writes to a broadcast list on the phone. A message is reported in
 * the chat with each recipient that it names. If it names none, it is reported once, for the list.
 */

const isOfList = ({ remoteJid }: KeyedMessage['key']): boolean => isBroadcast(remoteJid) && remoteJid !== STORIES;

/** Marks our own messages. The library recognizes our number, but not our hidden address. */
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
