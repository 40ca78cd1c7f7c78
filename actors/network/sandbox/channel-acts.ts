import type { Phone } from './phones.ts';
import type { Posts } from './posts.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export type ChannelAct =
  | { readonly act: 'create_channel'; readonly name: string; readonly description?: string | null }
  | { readonly act: 'follow'; readonly code: string }
  | { readonly act: 'unfollow'; readonly id: string }
  | { readonly act: 'view'; readonly message_id: string }
  | { readonly act: 'react'; readonly message_id: string; readonly emoji: string };

export const CHANNEL_ACTS = ['create_channel', 'follow', 'unfollow', 'view', 'react'] as const satisfies readonly ChannelAct['act'][];

const isOfChannels: ReadonlySet<string> = new Set(CHANNEL_ACTS);

export const isChannelAct = (order: { readonly act: string }): order is ChannelAct => isOfChannels.has(order.act);

export function actOnChannels(
  sandboxDeps: SandboxDeps,
  posts: Posts,
  phone: Phone,
  act: ChannelAct,
): { readonly id?: string; readonly code?: string } {
  const { channels, clock } = sandboxDeps;
  switch (act.act) {
    case 'create_channel': {
      const record = channels.create(phone.digits, { name: act.name, description: act.description ?? null }, clock.now());
      posts.joined(phone.digits, record);
      return { id: record.id, ...(record.code !== null && { code: record.code }) };
    }
    case 'follow': {
      const record = channels.follow(phone.digits, channels.idOf(act.code));
      posts.joined(phone.digits, record);
      return { id: record.id };
    }
    case 'unfollow':
      channels.unfollow(phone.digits, act.id);
      posts.left([phone.digits], act.id, phone.digits, null);
      return {};
    case 'view':
      posts.view(phone, act.message_id);
      return {};
    default:
      posts.react(phone, act.message_id, act.emoji);
      return {};
  }
}
