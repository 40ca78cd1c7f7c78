import { proto } from '@whiskeysockets/baileys';
import { el, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import { type Exchange, seconds } from './exchange.ts';
import { notify } from './notices.ts';

export interface ChannelPost {
  readonly serverId: string;
  readonly id: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly at: number;
  bytes: Buffer;
  isDeleted: boolean;
  readonly views: Set<Account>;
  readonly reactions: Map<Account, string>;
}

export interface Channel {
  readonly id: string;
  readonly invite: string;
  readonly owner: Account;
  /** Epoch seconds. */
  readonly createdAt: number;
  name: string;
  description: string;
  picture: Buffer | null;
  /** Times of the last change, epoch seconds. */
  readonly setAt: { name: number; description: number };
  readonly followers: Set<Account>;
  readonly muted: Set<Account>;
  readonly posts: ChannelPost[];
  /** Computers subscribed to the counts, with the end of each subscription (epoch ms). */
  readonly watched: Map<string, number>;
}

const FIRST_ID = 120_363_300_000_000_000n;
const FIRST_POST = 100;

/** All channels of the network. */
export class Channels {
  readonly #channels = new Map<string, Channel>();
  readonly #handles = new Set<string>();
  #made = 0;
  /** One-time faults for the next query with this name. `lost`: the query takes effect, but its response is lost. */
  readonly trouble = new Map<string, 'lost' | 'binary' | 'busy' | 'broken'>();
  /** Ids of stored queries that the network no longer supports. */
  readonly retired = new Set<string>();
  readonly acceptedTerms = new Set<Account>();

  get all(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  create(owner: Account, name: string, description: string, createdAt: number): Channel {
    this.#made += 1;
    const id = `${FIRST_ID + BigInt(this.#made)}@newsletter`;
    const invite = `peerinvite${this.#made}`;
    const sets = { followers: new Set<Account>(), muted: new Set<Account>(), posts: [], watched: new Map<string, number>() };
    const setAt = { name: createdAt, description: createdAt };
    const channel: Channel = { id, invite, owner, createdAt, name, description, picture: null, setAt, ...sets };
    this.#channels.set(id, channel);
    return channel;
  }

  get(id: string): Channel | null {
    return this.#channels.get(id) ?? null;
  }

  find(key: string): Channel | null {
    return this.get(key) ?? this.all.find(({ invite }) => invite === key) ?? null;
  }

  of(account: Account): readonly Channel[] {
    return this.all.filter(({ owner, followers }) => owner === account || followers.has(account));
  }

  remove(id: string): void {
    this.#channels.delete(id);
  }

  /** Returns the name by which posts refer to a file uploaded for a channel. */
  handleOf(sum: string): string {
    const handle = `handle-${sum}`;
    this.#handles.add(handle);
    return handle;
  }

  knowsHandle(handle: string | undefined): boolean {
    return handle !== undefined && this.#handles.has(handle);
  }

  post(channel: Channel, given: Pick<ChannelPost, 'id' | 'type' | 'at' | 'bytes'>): ChannelPost {
    const serverId = String(FIRST_POST + channel.posts.length);
    const post = { ...given, serverId, isDeleted: false, views: new Set<Account>(), reactions: new Map<Account, string>() };
    channel.posts.push(post);
    return post;
  }

  postOf(channel: Channel, id: string): ChannelPost | null {
    return channel.posts.find((post) => post.id === id) ?? null;
  }
}

/** Records a view of a post on a phone. */
export function viewPost(exchange: Exchange, channel: Channel, by: Account, id: string): void {
  const post = exchange.channels.postOf(channel, id);
  if (!post) throw new Error(`${channel.id} has no ${id}`);
  post.views.add(by);
  tellCounts(exchange, channel, post);
}

/** An empty emoji removes the reaction. */
export function reactToPost(exchange: Exchange, channel: Channel, by: Account, id: string, emoji: string): void {
  const post = exchange.channels.postOf(channel, id);
  if (!post) throw new Error(`${channel.id} has no ${id}`);
  setReaction(post, by, emoji);
  tellCounts(exchange, channel, post);
}

export function setReaction({ reactions }: ChannelPost, by: Account, emoji: string): void {
  if (emoji === '') reactions.delete(by);
  else reactions.set(by, emoji);
}

/** Sends the current counts of a post to the subscribed computers. */
export function tellCounts(exchange: Exchange, channel: Channel, post: ChannelPost): void {
  const now = exchange.clock.now();
  for (const linked of channel.owner.linked.values()) {
    if ((channel.watched.get(linked.line) ?? 0) <= now) continue;
    const messages = el('messages', { t: seconds(exchange) }, [el('message', { server_id: post.serverId }, countsOf(post))]);
    notify(exchange, linked, channel.id, 'newsletter', [el('live_updates', {}, [messages])]);
  }
}

export function countsOf({ views, reactions }: ChannelPost): readonly Stanza[] {
  const counts = new Map<string, number>();
  for (const code of reactions.values()) counts.set(code, (counts.get(code) ?? 0) + 1);
  const each = [...counts].map(([code, count]) => el('reaction', { code, count }));
  return [el('views_count', { count: views.size }), el('reactions', {}, each)];
}

/** Formats a channel as the network's JSON: numbers are strings. The address of the picture is left out. */
export function channelJson(channel: Channel, viewer: Account, { isNew = false } = {}) {
  const { id, invite, name, description, setAt, createdAt, owner, followers, muted } = channel;
  const stamp = (at: number): string => String(at * 1_000_000);
  const role = owner === viewer ? 'OWNER' : followers.has(viewer) ? 'SUBSCRIBER' : 'GUEST';
  const mute = muted.has(viewer) ? 'ON' : 'OFF';
  return {
    id,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      creation_time: String(createdAt),
      name: { id: stamp(setAt.name), text: name, update_time: stamp(setAt.name) },
      description: { id: stamp(setAt.description), text: description, update_time: stamp(setAt.description) },
      picture: null,
      preview: null,
      invite,
      handle: null,
      subscribers_count: String(followers.size),
      verification: 'UNVERIFIED',
    },
    // The response to a creation omits the creator's role.
    viewer_metadata: isNew ? { mute } : { mute, role, settings: [{ type: 'MUTE_FOLLOWER_ACTIVITY', value: mute }] },
  };
}

/** Writes a post on the owner's phone. Returns its id. */
export function writePost(exchange: Exchange, channel: Channel, text: string): string {
  const bytes = Buffer.from(proto.Message.encode({ conversation: text }).finish());
  const post = exchange.channels.post(channel, { id: exchange.random.messageId(), type: 'text', bytes, at: seconds(exchange) });
  showPost(exchange, channel, post, 'new');
  return post.id;
}

/** Shows a post on followers' phones. A new post is also sent to their computers. */
export function showPost(exchange: Exchange, channel: Channel, post: ChannelPost, change: 'new' | 'edited' | 'deleted'): void {
  const { Type } = proto.Message.ProtocolMessage;
  const decoded = change === 'deleted' ? {} : proto.Message.decode(post.bytes);
  const key = { id: post.id };
  const message =
    change === 'new'
      ? decoded
      : change === 'edited'
        ? { protocolMessage: { key, type: Type.MESSAGE_EDIT, editedMessage: decoded } }
        : { protocolMessage: { key, type: Type.REVOKE } };
  for (const follower of channel.followers) {
    const arrival = { netId: post.id, from: channel.owner.digits, chat: channel.id, message, at: exchange.clock.now() };
    exchange.people.person(follower).gets(arrival);
    if (change === 'new') for (const linked of follower.linked.values()) linked.deliver(postStanza(channel, post));
  }
}

function postStanza({ id: from }: Channel, { id, serverId, type, at, bytes }: ChannelPost): Stanza {
  return el('message', { from, id, server_id: serverId, type, t: at }, [el('plaintext', {}, bytes)]);
}
