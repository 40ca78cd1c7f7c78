import { child, el, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import { type Channel, channelJson, countsOf } from './channels.ts';
import { type Exchange, seconds } from './exchange.ts';
import { notify } from './notices.ts';
import { isPicture } from './pictures.ts';
import type { Answer, Query } from './query.ts';

interface Changes {
  readonly name?: string;
  readonly description?: string | null;
  /** Base64. */
  readonly picture?: string;
}

interface Variables {
  readonly newsletter_id?: string;
  readonly input?: Changes & { readonly key?: string; readonly newsletter_id?: string };
  readonly updates?: Changes;
}

type Mex = (exchange: Exchange, by: Account, variables: Variables) => { readonly root: string; readonly data: unknown } | number;

/** Stored queries of the network by name, each with all ids under which the network knows it. */
const STORED: Readonly<Record<string, { readonly name: string; readonly ids: readonly string[]; readonly answer: Mex }>> = {
  create: { name: 'create', ids: ['25149874324715067', '8823471724422422'], answer: create },
  update: { name: 'update', ids: ['24250201037901610'], answer: update },
  get: { name: 'get', ids: ['27456920720571478', '6563316087068696'], answer: get },
  list: { name: 'list', ids: ['25399611239711790', '6388546374527196'], answer: list },
  followers: { name: 'followers', ids: ['27472091235714801'], answer: followers },
  follow: { name: 'follow', ids: ['24404358912487870'], answer: follow },
  unfollow: { name: 'unfollow', ids: ['9767147403369991'], answer: unfollow },
  mute: { name: 'mute', ids: ['29766401636284406'], answer: (...what) => mute(true, ...what) },
  unmute: { name: 'unmute', ids: ['9864994326891137'], answer: (...what) => mute(false, ...what) },
  delete: { name: 'delete', ids: ['30062808666639665'], answer: remove },
  /** The library reads this field as the list of followers. */
  pendingInvites: {
    name: 'pendingInvites',
    ids: ['9783111038412085'],
    answer: () => ({ root: 'xwa2_newsletter_pending_invites', data: { pending_admin_invites: [] } }),
  },
};

/** Returns null if the network has no such channel query. */
export function askedOfChannels(exchange: Exchange, by: Account, asked: Stanza): Answer | null {
  const id = asked.attrs['query_id'] ?? '';
  const stored = Object.values(STORED).find(({ ids }) => ids.includes(id));
  if (!stored) return null;
  if (exchange.channels.retired.has(id)) return [result({ errors: [errorOf(404, `Unknown query document ${id}`)], data: null })];
  const trouble = exchange.channels.trouble.get(stored.name);
  exchange.channels.trouble.delete(stored.name);
  if (trouble === 'busy') return [result({ errors: [errorOf(429, 'rate-overlimit')], data: null })];
  const { variables = {} } = JSON.parse(Buffer.from((asked.content as Uint8Array) ?? []).toString()) as { variables?: Variables };
  const said = stored.answer(exchange, by, variables);
  exchange.journal.event('mex', by.digits, { name: stored.name, id });
  if (trouble === 'lost') return 'silence';
  if (trouble === 'broken')
    return [result({ errors: [errorOf(500, 'An unknown error occurred while executing the operation')], data: null })];
  if (trouble === 'binary') return [el('result', { format: 'argo' }, Buffer.from([0, 1, 2]))];
  if (typeof said === 'number') return [result({ errors: [errorOf(said, 'refused')], data: null })];
  return [result({ data: { [said.root]: said.data } })];
}

const errorOf = (error_code: number, message: string) => ({
  message,
  extensions: { error_code, is_retryable: error_code === 429, severity: 'CRITICAL' },
});

const result = (body: unknown) => el('result', {}, Buffer.from(JSON.stringify(body)));

function create(exchange: Exchange, by: Account, { input }: Variables) {
  if (!exchange.channels.acceptedTerms.has(by)) return 403;
  if (!isPictureIn(input)) return 406;
  const channel = exchange.channels.create(by, input?.name ?? '', input?.description ?? '', seconds(exchange));
  channel.picture = pictureIn(input);
  tellJoined(exchange, channel, by);
  return { root: 'xwa2_newsletter_create', data: channelJson(channel, by, { isNew: true }) };
}

function update(exchange: Exchange, by: Account, { newsletter_id, updates }: Variables) {
  const channel = exchange.channels.get(newsletter_id ?? '');
  if (!channel) return 404;
  if (channel.owner !== by) return 403;
  if (!isPictureIn(updates)) return 406;
  channel.picture = pictureIn(updates) ?? channel.picture;
  // Two changes in the same second need different times.
  const now = Math.max(seconds(exchange), 1 + Math.max(channel.setAt.name, channel.setAt.description));
  for (const field of ['name', 'description'] as const) {
    const value = updates?.[field] ?? undefined;
    if (value === undefined) continue;
    channel[field] = value;
    channel.setAt[field] = now;
  }
  for (const each of [by, ...channel.followers])
    tellMex(exchange, each, 'NotificationNewsletterUpdate', { xwa2_notify_newsletter_on_metadata_update: channelJson(channel, each) });
  return { root: 'xwa2_newsletter_update', data: channelJson(channel, by) };
}

const pictureIn = (changes: Changes | undefined): Buffer | null =>
  changes?.picture === undefined ? null : Buffer.from(changes.picture, 'base64');

function isPictureIn(changes: Changes | undefined): boolean {
  const picture = pictureIn(changes);
  return picture === null || isPicture(picture);
}

function get({ channels }: Exchange, by: Account, { input }: Variables) {
  const channel = channels.find(input?.key ?? '');
  return channel ? { root: 'xwa2_newsletter', data: channelJson(channel, by) } : 404;
}

function list({ channels }: Exchange, by: Account) {
  return { root: 'xwa2_newsletter_subscribed', data: channels.of(by).map((channel) => channelJson(channel, by)) };
}

function followers({ channels }: Exchange, by: Account, { input }: Variables) {
  const channel = channels.get(input?.newsletter_id ?? '');
  if (!channel) return 404;
  if (channel.owner !== by) return 403;
  const edge = (account: Account, role: string) => ({ role, node: { id: account.lidJid, pn: account.jid, display_name: account.name } });
  const edges = [edge(channel.owner, 'OWNER'), ...[...channel.followers].map((one) => edge(one, 'SUBSCRIBER'))];
  return { root: 'xwa2_newsletter_followers', data: { followers: { edges } } };
}

function follow(exchange: Exchange, by: Account, { newsletter_id }: Variables) {
  const channel = exchange.channels.get(newsletter_id ?? '');
  if (!channel) return 404;
  channel.followers.add(by);
  tellJoined(exchange, channel, by);
  return { root: 'xwa2_newsletter_join_v2', data: { id: channel.id, state: { type: 'ACTIVE' } } };
}

function unfollow(exchange: Exchange, by: Account, { newsletter_id }: Variables) {
  const channel = exchange.channels.get(newsletter_id ?? '');
  if (!channel) return 404;
  if (channel.owner === by) return 403;
  channel.followers.delete(by);
  tellMex(exchange, by, 'NotificationNewsletterLeave', { xwa2_notify_newsletter_on_leave: { id: channel.id, state: { type: 'ACTIVE' } } });
  return { root: 'xwa2_newsletter_leave_v2', data: { id: channel.id } };
}

function mute(isMuted: boolean, exchange: Exchange, by: Account, { newsletter_id }: Variables) {
  const channel = exchange.channels.get(newsletter_id ?? '');
  if (!channel) return 404;
  if (isMuted) channel.muted.add(by);
  else channel.muted.delete(by);
  const told = { id: channel.id, mute: isMuted ? 'ON' : 'OFF' };
  tellMex(exchange, by, 'NotificationNewsletterMuteChange', { xwa2_notify_newsletter_on_mute_change: told });
  return { root: isMuted ? 'xwa2_newsletter_mute_v2' : 'xwa2_newsletter_unmute_v2', data: { id: channel.id } };
}

function remove(exchange: Exchange, by: Account, { newsletter_id }: Variables) {
  const channel = exchange.channels.get(newsletter_id ?? '');
  if (!channel) return 404;
  if (channel.owner !== by) return 403;
  exchange.channels.remove(channel.id);
  const told = { id: channel.id, state: { type: 'DELETED' } };
  for (const each of [by, ...channel.followers])
    tellMex(exchange, each, 'NotificationNewsletterLeave', { xwa2_notify_newsletter_on_leave: told });
  return { root: 'xwa2_newsletter_delete_v2', data: { id: channel.id, state: { type: 'DELETED' } } };
}

function tellJoined(exchange: Exchange, channel: Channel, account: Account): void {
  tellMex(exchange, account, 'NotificationNewsletterJoin', { xwa2_notify_newsletter_on_join: channelJson(channel, account) });
}

function tellMex(exchange: Exchange, account: Account, name: string, data: unknown): void {
  for (const linked of account.linked.values())
    notify(exchange, linked, '@s.whatsapp.net', 'mex', [el('update', { op_name: name }, Buffer.from(JSON.stringify({ data })))]);
}

const acceptTerms: Query = ({ channels }, { account }, asked) => {
  if (asked.attrs['id'] !== '20601218') return { error: 404, text: 'item-not-found' };
  channels.acceptedTerms.add(account);
  return [];
};

/** Returns the current posts of a channel. */
const channelMessages: Query = (exchange, _linked, asked, iq) => {
  const { jid, count = '50', before } = asked.attrs;
  const channel = exchange.channels.get(jid ?? '');
  if (!channel || iq.attrs['to'] === jid) return { error: 404, text: 'item-not-found' };
  const older = channel.posts.filter(({ serverId }) => before === undefined || Number(serverId) < Number(before));
  const messages = older.slice(-Number(count)).map((post) => {
    const plaintext = el('plaintext', {}, post.isDeleted ? undefined : post.bytes);
    return el('message', { server_id: post.serverId, id: post.id, type: post.type, t: post.at }, [plaintext, ...countsOf(post)]);
  });
  return [el('messages', { t: seconds(exchange), jid }, messages)];
};

const WATCHED_S = 300;

const watchChannel: Query = ({ channels, clock }, linked, _asked, iq) => {
  const channel = channels.get(iq.attrs['to'] ?? '');
  if (!channel) return { error: 404, text: 'item-not-found' };
  channel.watched.set(linked.line, clock.now() + WATCHED_S * 1_000);
  return [el('live_updates', { duration: WATCHED_S })];
};

export const CHANNEL_QUERIES: Readonly<Record<string, Query>> = {
  'tos/set/notice': acceptTerms,
  'newsletter/get/messages': channelMessages,
  'newsletter/get/message_updates': (_exchange, _linked, _asked, iq) => [el('message_updates', { jid: iq.attrs['to'] })],
  'newsletter/set/live_updates': watchChannel,
  'status/get/privacy': () => [el('privacy', {}, [el('list', { type: 'contacts', default: 'true' })])],
};

/** Checks a stanza to a channel. Returns the error code for an invalid one. */
export function faultOfPost(exchange: Exchange, by: Account, channel: Channel | null, stanza: Stanza): number | null {
  if (!channel) return 404;
  const isReaction = stanza.attrs['type'] === 'reaction';
  const mayWrite = isReaction ? [channel.owner, ...channel.followers] : [channel.owner];
  if (!mayWrite.includes(by)) return 403;
  return isAcceptable(exchange, channel, stanza) ? null : UNACCEPTABLE;
}

function isAcceptable({ channels }: Exchange, channel: Channel, stanza: Stanza): boolean {
  const { type, edit, media_id, server_id, id = '' } = stanza.attrs;
  const plaintext = child(stanza, 'plaintext');
  if (type === 'reaction') return channel.posts.some(({ serverId }) => serverId === server_id);
  if (edit !== undefined) return (edit === '3' || edit === '8') && channels.postOf(channel, id) !== null;
  if (type === 'media') return plaintext?.attrs['mediatype'] !== undefined && channels.knowsHandle(media_id);
  if (type === 'poll') return child(stanza, 'meta')?.attrs['polltype'] === 'creation';
  return plaintext !== undefined;
}

const UNACCEPTABLE = 479;
