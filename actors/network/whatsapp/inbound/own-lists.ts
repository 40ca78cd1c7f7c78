import { isBroadcast, STORIES, userOf } from '../../jid.ts';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import type { KeyedMessage } from './keyed-message.ts';

/**
 * What the number's owner writes to a broadcast list on the phone: it comes to the owner's devices once, with the recipients that the network
 * names. It becomes a message in the chat with each of them; where none is named, one message of the list.
 */

const isOfList = ({ remoteJid }: KeyedMessage['key']): boolean => isBroadcast(remoteJid) && remoteJid !== STORIES;

/** The library knows an author of a list as our own number, and not as its hidden address. */
export function ofOurs(message: KeyedMessage, { lid }: { readonly lid?: string }): KeyedMessage {
  const { key } = message;
  const author = userOf(key.participant ?? undefined);
  if (isOfList(key) && author !== undefined && author === userOf(lid)) key.fromMe = true;
  return message;
}

/** A copy for the chat with each recipient; the message itself where it was written to no list of ours. */
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

/** More than the network lets a list have. */
const MOST = 256;

/** The event of a copy says of which list it is. */
export function withList(event: KeptEvent, { key }: KeyedMessage): KeptEvent {
  return event.type === 'wrote' && isOfList(key) ? { ...event, message: { ...event.message, list: key.remoteJid } } : event;
}
