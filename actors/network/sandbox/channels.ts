import { Refusal } from '../../../runtime/errors.ts';
import type { ChannelDraft, ChannelPost, ChannelRecord, ChannelRole, PostStats } from '../channels.ts';
import { wordsOf } from '../words.ts';
import type { Names } from './names.ts';
import type { DeviceAction, NetworkMessage } from './protocol.ts';

const KEPT_POSTS = 10_000;

interface Post {
  readonly serverId: string;
  readonly message: NetworkMessage;
  readonly views: Set<string>;
  readonly reactions: Map<string, string>;
  body: string | null;
  deleted: boolean;
}

interface Channel {
  readonly id: string;
  readonly code: string;
  readonly owner: string;
  readonly createdAt: number;
  name: string;
  description: string | null;
  /** The followers' numbers (digits), and whether each of them has muted the channel. */
  readonly followers: Map<string, boolean>;
  isMutedByOwner: boolean;
  readonly posts: Map<string, Post>;
  serial: number;
}

export class Channels {
  readonly #names: Names;
  readonly #channels = new Map<string, Channel>();
  readonly #byCode = new Map<string, string>();

  constructor(names: Names) {
    this.#names = names;
  }

  create(owner: string, { name, description }: Pick<ChannelDraft, 'name' | 'description'>, now: number): ChannelRecord {
    const id = this.#names.channel();
    const code = this.#names.inviteCode();
    const followers = new Map<string, boolean>();
    const channel: Channel = {
      ...{ id, code, owner, createdAt: now, name, description, followers },
      ...{ isMutedByOwner: false, posts: new Map(), serial: 100 },
    };
    this.#channels.set(id, channel);
    this.#byCode.set(code, id);
    return recordFor(channel, owner);
  }

  seenBy(digits: string, id: string): ChannelRecord {
    return recordFor(this.#at(id), digits);
  }

  idOf(code: string): string {
    const id = this.#byCode.get(code);
    if (id === undefined) throw new Refusal('NOT_FOUND', { field: 'code' });
    return id;
  }

  of(digits: string): readonly ChannelRecord[] {
    return [...this.#channels.values()].map((channel) => recordFor(channel, digits)).filter(({ role }) => role !== null);
  }

  update(digits: string, id: string, { name, description }: Partial<ChannelDraft>): ChannelRecord {
    const channel = this.#owned(digits, id);
    if (name !== undefined) channel.name = name;
    if (description !== undefined) channel.description = description;
    return recordFor(channel, digits);
  }

  remove(digits: string, id: string): readonly string[] {
    const channel = this.#owned(digits, id);
    this.#channels.delete(id);
    this.#byCode.delete(channel.code);
    return [channel.owner, ...channel.followers.keys()];
  }

  follow(digits: string, id: string): ChannelRecord {
    const channel = this.#at(id);
    if (roleOf(channel, digits) !== null) throw new Refusal('CONFLICT', { reason: 'this number follows it already' });
    channel.followers.set(digits, false);
    return recordFor(channel, digits);
  }

  unfollow(digits: string, id: string): void {
    const channel = this.#at(id);
    if (channel.owner === digits) throw new Refusal('FORBIDDEN', { reason: 'the owner cannot leave a channel' });
    if (!channel.followers.delete(digits)) throw new Refusal('CONFLICT', { reason: 'this number does not follow it' });
  }

  mute(digits: string, id: string, muted: boolean): boolean {
    const channel = this.#at(id);
    const before = recordFor(channel, digits);
    if (before.role === null) throw new Refusal('CONFLICT', { reason: 'this number does not follow it' });
    if (before.role === 'owner') channel.isMutedByOwner = muted;
    else channel.followers.set(digits, muted);
    return before.muted !== muted;
  }

  followers(id: string): readonly string[] | null {
    const channel = this.#channels.get(id);
    return channel ? [...channel.followers.keys()] : null;
  }

  isOwner(digits: string, id: string): boolean {
    return this.#channels.get(id)?.owner === digits;
  }

  owner(id: string): string {
    return this.#at(id).owner;
  }

  post(message: NetworkMessage): void {
    const channel = this.#at(message.to);
    channel.serial += 1;
    const post: Post = {
      ...{ serverId: String(channel.serial), message, body: null, deleted: false },
      ...{ views: new Set<string>(), reactions: new Map<string, string>() },
    };
    channel.posts.set(message.netId, post);
    if (channel.posts.size > KEPT_POSTS) channel.posts.delete(channel.posts.keys().next().value ?? '');
  }

  serverIdOf(id: string, netId: string): string | undefined {
    return this.#channels.get(id)?.posts.get(netId)?.serverId;
  }

  act({ to, target, act, from }: Pick<DeviceAction, 'to' | 'target' | 'act' | 'from'>): boolean {
    const post = this.#channels.get(to)?.posts.get(target);
    if (!post) return false;
    if (act.kind === 'edited') post.body = act.body;
    if (act.kind === 'deleted') post.deleted = true;
    if (act.kind === 'reaction' && act.emoji === '') post.reactions.delete(from);
    if (act.kind === 'reaction' && act.emoji !== '') post.reactions.set(from, act.emoji);
    return true;
  }

  view(digits: string, id: string, netId: string): boolean {
    const views = this.#channels.get(id)?.posts.get(netId)?.views;
    if (!views || views.has(digits)) return false;
    views.add(digits);
    return true;
  }

  reactionOf(digits: string, id: string, netId: string): string {
    return this.#channels.get(id)?.posts.get(netId)?.reactions.get(digits) ?? '';
  }

  stats(id: string, netId: string): PostStats | null {
    const post = this.#channels.get(id)?.posts.get(netId);
    return post ? { channel: id, serverId: post.serverId, views: post.views.size, reactions: counted(post) } : null;
  }

  posts(id: string, limit: number, before: string | null): readonly ChannelPost[] {
    const all = [...this.#at(id).posts.values()].reverse();
    const older = before === null ? all : all.filter(({ serverId }) => Number(serverId) < Number(before));
    return older.slice(0, limit).map(shown);
  }

  #at(id: string): Channel {
    const channel = this.#channels.get(id);
    if (!channel) throw new Refusal('NOT_FOUND', { field: 'id' });
    return channel;
  }

  #owned(digits: string, id: string): Channel {
    const channel = this.#at(id);
    if (channel.owner !== digits) throw new Refusal('FORBIDDEN', { reason: 'only its owner may do that' });
    return channel;
  }
}

function roleOf(channel: Channel, digits: string): ChannelRole {
  if (channel.owner === digits) return 'owner';
  return channel.followers.has(digits) ? 'follower' : null;
}

function recordFor(channel: Channel, digits: string): ChannelRecord {
  const { id, name, description, code, createdAt, owner, isMutedByOwner, followers } = channel;
  const muted = owner === digits ? isMutedByOwner : (followers.get(digits) ?? false);
  return { id, name, description, role: roleOf(channel, digits), muted, followers: followers.size, code, createdAt };
}

function counted({ reactions }: Post): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const emoji of reactions.values()) counts[emoji] = (counts[emoji] ?? 0) + 1;
  return counts;
}

function shown(post: Post): ChannelPost {
  const { serverId, message, views, body, deleted } = post;
  const { content } = message;
  const said = deleted ? { type: null, body: null } : { type: content.type, body: body ?? wordsOf(content) };
  return { serverId, netId: message.netId, ...said, views: views.size, reactions: counted(post), at: message.at };
}
