import { Refusal } from '../../../runtime/errors.ts';
import type { ChannelFollower, ChannelQuestions, ChannelRecord } from '../channels.ts';
import type { SandboxAnswers } from './answers.ts';
import type { Posts } from './posts.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export function channelAnswers(sandboxDeps: SandboxDeps, posts: Posts): SandboxAnswers<ChannelQuestions> {
  const { channels, clock } = sandboxDeps;
  const joined = (digits: string, record: ChannelRecord): ChannelRecord => {
    posts.joined(digits, record);
    return record;
  };
  return {
    'channels.list': ({ phone }) => channels.of(phone),
    'channels.get': ({ phone }, { id }) => channels.seenBy(phone, id),
    'channels.byCode': ({ phone }, { code }) => channels.seenBy(phone, channels.idOf(code)),
    'channels.create': ({ phone }, draft) => joined(phone, channels.create(phone, draft, clock.now())),
    'channels.update': ({ phone }, { id, name, description }) => {
      const changed = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
      const record = channels.update(phone, id, changed);
      posts.tell([phone, ...(channels.followers(id) ?? [])], phone, { fact: 'channel.updated', channel_id: id, changed });
      return record;
    },
    'channels.delete': ({ phone }, { id }) => {
      posts.left(channels.remove(phone, id), id, phone, 'deleted');
      return null;
    },
    'channels.follow': ({ phone }, { id }) => joined(phone, channels.follow(phone, id)),
    'channels.unfollow': ({ phone }, { id }) => {
      channels.unfollow(phone, id);
      posts.left([phone], id, phone, null);
      return null;
    },
    'channels.mute': ({ phone }, { id, muted }) => {
      if (channels.mute(phone, id, muted)) posts.tell([phone], phone, { fact: 'channel.updated', channel_id: id, changed: { muted } });
      return null;
    },
    'channels.posts': (_device, { id, limit, before }) => channels.posts(id, limit, before),
    'channels.followers': ({ phone }, { id, limit }) => followersOf(sandboxDeps, posts, phone, id).slice(0, limit),
  };
}

function followersOf({ channels }: SandboxDeps, posts: Posts, phone: string, id: string): readonly ChannelFollower[] {
  if (channels.seenBy(phone, id).role !== 'owner') throw new Refusal('FORBIDDEN');
  const others = (channels.followers(id) ?? []).map((one) => ({ ...posts.person(one), role: 'follower' as const }));
  return [{ ...posts.person(phone), role: 'owner' as const }, ...others];
}
