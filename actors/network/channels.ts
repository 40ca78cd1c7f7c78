import { STORIES } from './jid.ts';
import type { Person } from './person.ts';
import type { Asks, None, QuestionKind } from './question.ts';

/** Channels (newsletters). Posts are messages to the channel's address. */
export interface ChannelQuestions {
  readonly 'channels.list': Asks<None, readonly ChannelRecord[]>;
  /** Fails with NOT_FOUND. */
  readonly 'channels.get': Asks<AtChannel, ChannelRecord>;
  /** Returns the channel of an invite code, whether or not this account follows it. Fails with NOT_FOUND. */
  readonly 'channels.byCode': Asks<{ readonly code: string }, ChannelRecord>;
  /**
   * Never repeated. If the response is lost, the driver looks for a channel with that name that was
   * created since then. Fails with DEVICE_TIMEOUT if the outcome stays unknown.
   */
  readonly 'channels.create': Asks<ChannelDraft, ChannelRecord>;
  /** Fails with FORBIDDEN if this account does not own the channel, and NOT_FOUND. */
  readonly 'channels.update': Asks<AtChannel & Partial<ChannelDraft>, ChannelRecord>;
  readonly 'channels.delete': Asks<AtChannel, null>;
  readonly 'channels.follow': Asks<AtChannel, ChannelRecord>;
  readonly 'channels.unfollow': Asks<AtChannel, null>;
  readonly 'channels.mute': Asks<AtChannel & { readonly muted: boolean }, null>;
  /** Lists the latest posts before `before` (a server id), newest first. */
  readonly 'channels.posts': Asks<AtChannel & { readonly limit: number; readonly before: string | null }, readonly ChannelPost[]>;
  /** Owner and admins only. */
  readonly 'channels.followers': Asks<AtChannel & { readonly limit: number }, readonly ChannelFollower[]>;
}

export const CHANNEL_QUESTIONS = {
  'channels.list': 'list',
  'channels.get': 'read',
  'channels.byCode': 'read',
  'channels.create': 'change',
  'channels.update': 'change',
  'channels.delete': 'change',
  'channels.follow': 'change',
  'channels.unfollow': 'change',
  'channels.mute': 'change',
  'channels.posts': 'read',
  'channels.followers': 'read',
} as const satisfies Readonly<Record<keyof ChannelQuestions, QuestionKind>>;

export interface AtChannel {
  readonly id: string;
}

export interface ChannelDraft {
  readonly name: string;
  readonly description: string | null;
  /** A picture as JPEG, base64. */
  readonly picture?: string;
}

/** Null if this account does not follow the channel. */
export type ChannelRole = 'owner' | 'admin' | 'follower' | null;

export interface ChannelRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly role: ChannelRole;
  readonly muted: boolean;
  readonly followers: number;
  readonly code: string | null;
  /** Epoch ms; null when the network does not report it. */
  readonly createdAt: number | null;
}

export interface ChannelPost {
  /** The number that the network gave the post in its channel; reactions, edits and counts refer to it. */
  readonly serverId: string;
  /** The network id that the author chose; null if the network does not report it. */
  readonly netId: string | null;
  /** Null if the post was deleted or has a type that the port does not support. */
  readonly type: string | null;
  /** The text, the caption or the poll question. */
  readonly body: string | null;
  readonly views: number | null;
  readonly reactions: Readonly<Record<string, number>>;
  readonly at: number;
}

export interface ChannelFollower extends Person {
  readonly role: Exclude<ChannelRole, null>;
}

export const mayPost = (role: ChannelRole): boolean => role === 'owner' || role === 'admin';

/** Whether the address is a channel or the status feed, where no single person waits for an answer. */
export const isPublic = (address: string): boolean => isChannel(address) || address === STORIES;

export const isChannel = (address: string): boolean => address.endsWith('@newsletter');

export interface ChannelChanges {
  readonly name?: string;
  readonly description?: string | null;
  readonly muted?: boolean;
  readonly role?: ChannelRole;
  /** The network's term, in lower case: active, suspended, geosuspended, deleted. */
  readonly state?: string;
}

export type ChannelFact = { readonly channel_id: string; readonly by: Person | null } & (
  | { readonly fact: 'channel.joined'; readonly channel: ChannelRecord }
  | { readonly fact: 'channel.left'; readonly reason: string | null }
  | { readonly fact: 'channel.updated'; readonly changed: ChannelChanges }
);

export interface PostStats {
  readonly channel: string;
  readonly serverId: string;
  readonly views: number | null;
  readonly reactions: Readonly<Record<string, number>>;
}
