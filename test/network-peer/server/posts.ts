import { bytesOf, child, children, el, parseJid, SERVER, type Stanza } from '../stanza.ts';
import { faultOfPost } from './channel-queries.ts';
import { type Channel, setReaction, showPost, tellCounts } from './channels.ts';
import { type Exchange, seconds } from './exchange.ts';
import type { Audience } from './groups.ts';
import type { Linked } from './linked.ts';

export const STORIES = 'status@broadcast';
const UNACCEPTABLE = 479;

export const isChannel = (jid: string): boolean => jid.endsWith('@newsletter');

/** Handles a client's unencrypted message to a channel. The ack contains the number of the post. */
export function takePost(exchange: Exchange, author: Linked, stanza: Stanza): void {
  const { id = '', to = '' } = stanza.attrs;
  const channel = exchange.channels.get(to);
  const error = exchange.faults.refusesMessage(author.account.digits)?.code ?? faultOfPost(exchange, author.account, channel, stanza);
  const serverId = error === null && channel ? written(exchange, author, channel, stanza) : null;
  author.connection?.send(el('ack', { class: 'message', id, from: to, t: seconds(exchange), error, server_id: serverId }));
}

function written(exchange: Exchange, { account }: Linked, channel: Channel, stanza: Stanza): string {
  const { id = '', type = 'text', edit, server_id = '' } = stanza.attrs;
  if (type === 'reaction') {
    const post = channel.posts.find(({ serverId }) => serverId === server_id)!;
    setReaction(post, account, edit === '7' ? '' : (child(stanza, 'reaction')?.attrs['code'] ?? ''));
    tellCounts(exchange, channel, post);
    return post.serverId;
  }
  const known = exchange.channels.postOf(channel, id);
  const bytes = bytesOf(stanza, 'plaintext');
  if (known && edit === undefined) return known.serverId;
  const post = known ?? exchange.channels.post(channel, { id, type, bytes, at: seconds(exchange) });
  if (edit === '3') post.bytes = bytes;
  if (edit === '8') post.isDeleted = true;
  showPost(exchange, channel, post, edit === '3' ? 'edited' : edit === '8' ? 'deleted' : 'new');
  return post.serverId;
}

/**
 * Returns the recipients of a status, as a group of its own. Every account has a hidden address, which is the only
 * accepted form.
 */
export function statusAudience({ directory }: Exchange, stanza: Stanza): Audience | typeof UNACCEPTABLE {
  const jids = children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs['jid'] ?? '');
  if (jids.some((jid) => parseJid(jid).domain === SERVER)) return UNACCEPTABLE;
  const members = [...new Set(jids.flatMap((jid) => directory.of(jid) ?? []))];
  return { jid: STORIES, subject: '', addressing: 'lid', members, since: 0 };
}
