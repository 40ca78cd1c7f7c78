import { STORIES } from './jid.ts';
import type { Person } from './person.ts';
import type { Asks, None, QuestionKind } from './question.ts';

/** Channels (newsletters): what can be asked of the network about them, and what it tells. Posts are messages to the channel's address. */
export interface ChannelQuestions {
  /** All that this account owns, helps to run, or follows. */
  readonly 'channels.list': Asks<None, readonly ChannelRecord[]>;
  /** Refuses NOT_FOUND. */
  readonly 'channels.get': Asks<AtChannel, ChannelRecord>;
  /** The channel that an invite code leads to, whoever follows it. Refuses NOT_FOUND. */
  readonly 'channels.byCode': Asks<{ readonly code: string }, ChannelRecord>;
  /**
   * Never asked twice, by nobody: where the answer is lost, the driver looks for a channel of that name that this account made since. Refuses
   * DEVICE_TIMEOUT where it cannot tell.
   */
  readonly 'channels.create': Asks<ChannelDraft, ChannelRecord>;
  /** Refuses FORBIDDEN (not ours), NOT_FOUND. */
  readonly 'channels.update': Asks<AtChannel & Partial<ChannelDraft>, ChannelRecord>;
  readonly 'channels.delete': Asks<AtChannel, null>;
  readonly 'channels.follow': Asks<AtChannel, ChannelRecord>;
  readonly 'channels.unfollow': Asks<AtChannel, null>;
  readonly 'channels.mute': Asks<AtChannel & { readonly muted: boolean }, null>;
  /** The latest posts before one (by its server id), newest first. */
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
  /** The channel's address (`…@newsletter`). */
  readonly id: string;
}

export interface ChannelDraft {
  readonly name: string;
  readonly description: string | null;
  /** A picture as JPEG, base64. */
  readonly picture?: string;
}

/** `null`: this account does not follow it. */
export type ChannelRole = 'owner' | 'admin' | 'follower' | null;

export interface ChannelRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly role: ChannelRole;
  readonly muted: boolean;
  readonly followers: number;
  /** Of its invite link. */
  readonly code: string | null;
  /** Epoch ms; null: the network does not say. */
  readonly createdAt: number | null;
}

export interface ChannelPost {
  /** The network's number of it in its channel: reactions, edits and counts name it. */
  readonly serverId: string;
  /** The id that its author chose; null: the network does not say. */
  readonly netId: string | null;
  /** Null: it was deleted, or is of a kind that the port does not have. */
  readonly type: string | null;
  /** The text, the caption, or the question of a poll. */
  readonly body: string | null;
  readonly views: number | null;
  /** How many, by emoji. */
  readonly reactions: Readonly<Record<string, number>>;
  /** Epoch ms. */
  readonly at: number;
}

export interface ChannelFollower extends Person {
  readonly role: Exclude<ChannelRole, null>;
}

/** May this account post there? */
export const mayPost = (role: ChannelRole): boolean => role === 'owner' || role === 'admin';

/** A channel or a status: seen by many, and by nobody who waits for it. */
export const isPublic = (address: string): boolean => isChannel(address) || address === STORIES;

export const isChannel = (address: string): boolean => address.endsWith('@newsletter');

/** What changed of a channel: new values only. */
export interface ChannelChanges {
  readonly name?: string;
  readonly description?: string | null;
  readonly muted?: boolean;
  readonly role?: ChannelRole;
  /** The network's own word, lower case: active, suspended, geosuspended, deleted. */
  readonly state?: string;
}

/** What the network tells of a channel. `by`: who did it, as far as it says. */
export type ChannelFact = { readonly channel_id: string; readonly by: Person | null } & (
  | { readonly fact: 'channel.joined'; readonly channel: ChannelRecord }
  | { readonly fact: 'channel.left'; readonly reason: string | null }
  | { readonly fact: 'channel.updated'; readonly changed: ChannelChanges }
);

/** How often a post was seen and reacted to by now. */
export interface PostStats {
  readonly channel: string;
  readonly serverId: string;
  readonly views: number | null;
  readonly reactions: Readonly<Record<string, number>>;
}
