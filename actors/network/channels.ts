import { STORIES } from './jid.ts';
import type { Person } from './person.ts';
import type { Asks, None, QuestionKind } from './question.ts';

export interface ChannelQuestions {
  readonly 'channels.list': Asks<None, readonly ChannelRecord[]>;
  readonly 'channels.get': Asks<AtChannel, ChannelRecord>;
  readonly 'channels.byCode': Asks<{ readonly code: string }, ChannelRecord>;
  /** Never retried. Fails with DEVICE_TIMEOUT if the outcome remains unknown. */
  readonly 'channels.create': Asks<ChannelDraft, ChannelRecord>;
  /** Fails with FORBIDDEN if this account does not own the channel. */
  readonly 'channels.update': Asks<AtChannel & Partial<ChannelDraft>, ChannelRecord>;
  readonly 'channels.delete': Asks<AtChannel, null>;
  readonly 'channels.follow': Asks<AtChannel, ChannelRecord>;
  readonly 'channels.unfollow': Asks<AtChannel, null>;
  readonly 'channels.mute': Asks<AtChannel & { readonly muted: boolean }, null>;
  readonly 'channels.posts': Asks<AtChannel & { readonly limit: number; readonly before: string | null }, readonly ChannelPost[]>;
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
  readonly picture?: string;
}

export type ChannelRole = 'owner' | 'admin' | 'follower' | null;

export interface ChannelRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly role: ChannelRole;
  readonly muted: boolean;
  readonly followers: number;
  readonly code: string | null;
  readonly createdAt: number | null;
}

export interface ChannelPost {
  /** The post's number within its channel. Reactions, edits and counts refer to it. */
  readonly serverId: string;
  readonly netId: string | null;
  /** Null if the post was deleted or its type is not supported. */
  readonly type: string | null;
  readonly body: string | null;
  readonly views: number | null;
  readonly reactions: Readonly<Record<string, number>>;
  readonly at: number;
}

export interface ChannelFollower extends Person {
  readonly role: Exclude<ChannelRole, null>;
}

export const mayPost = (role: ChannelRole): boolean => role === 'owner' || role === 'admin';

/** Whether the address is public: a channel or the status feed. Replies are not expected there. */
export const isPublic = (address: string): boolean => isChannel(address) || address === STORIES;

export const isChannel = (address: string): boolean => address.endsWith('@newsletter');

export interface ChannelChanges {
  readonly name?: string;
  readonly description?: string | null;
  readonly muted?: boolean;
  readonly role?: ChannelRole;
  /** The state in the network's own terms: active, suspended, geosuspended or deleted. */
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
