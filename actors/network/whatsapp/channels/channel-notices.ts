import type { ChannelChanges, ChannelFact, ChannelRecord } from '../../channels.ts';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import { isObject } from '../mex/read-mex.ts';
import { child } from '../questions/query.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { isGone, readChannel, stateOf } from './read-channel.ts';
import { readLiveUpdates } from './read-posts.ts';

type Reader = (told: unknown) => ChannelFact | null;

const NOTICES: Readonly<Record<string, Reader>> = {
  xwa2_notify_newsletter_on_join(told) {
    const channel = readChannel(told);
    return channel && { fact: 'channel.joined', channel_id: channel.id, by: null, channel };
  },
  xwa2_notify_newsletter_on_leave: (told) =>
    of(told, (channel_id) => ({ fact: 'channel.left', channel_id, by: null, reason: isGone(told) ? 'deleted' : null })),
  xwa2_notify_newsletter_on_mute_change: (told) =>
    of(told, (channel_id) => ({
      fact: 'channel.updated',
      channel_id,
      by: null,
      changed: { muted: isObject(told) && told['mute'] === 'ON' },
    })),
  xwa2_notify_newsletter_on_state_change: (told) =>
    of(told, (channel_id) => {
      const state = stateOf(told);
      return state === null ? null : { fact: 'channel.updated', channel_id, by: null, changed: { state } };
    }),
  xwa2_notify_newsletter_on_metadata_update: (told) =>
    of(told, (channel_id) => {
      const channel = readChannel(told);
      return channel && { fact: 'channel.updated', channel_id, by: null, changed: lastChanged(told, channel) };
    }),
};

function lastChanged(told: unknown, { name, description }: ChannelRecord): ChannelChanges {
  const [named, described] = [setAt(told, 'name'), setAt(told, 'description')];
  return { ...(named >= described && { name }), ...(described >= named && { description }) };
}

function setAt(told: unknown, field: 'name' | 'description'): number {
  const about = isObject(told) && isObject(told['thread_metadata']) ? told['thread_metadata'][field] : null;
  return isObject(about) ? Number(about['update_time'] ?? 0) : 0;
}

function of(told: unknown, make: (id: string) => ChannelFact | null): ChannelFact | null {
  return isObject(told) && typeof told['id'] === 'string' ? make(told['id']) : null;
}

export function channelFact(data: unknown, { attrs: { id = '', t } }: BinaryNode): KeptEvent | null {
  if (!isObject(data)) return null;
  for (const [field, read] of Object.entries(NOTICES)) {
    const fact = field in data ? read(data[field]) : null;
    if (fact) return { type: 'facts', token: `notice ${id}`, at: Number(t ?? 0) * 1_000, facts: [fact] };
  }
  return null;
}

export function postStats(node: BinaryNode): readonly KeptEvent[] {
  const { type, from = '', id = '', t } = node.attrs;
  if (type !== 'newsletter') return [];
  const at = Number(t ?? 0) * 1_000;
  return readLiveUpdates(from, child(node, 'live_updates')).map((stats) => ({
    type: 'postStats',
    token: `notice ${id} ${stats.serverId}`,
    at,
    stats,
  }));
}

export function keepAll({ keep }: Pick<ConnectionContext, 'keep'>, events: readonly KeptEvent[], stored: () => void): void {
  let left = events.length;
  for (const event of events)
    keep(event, () => {
      left -= 1;
      if (left === 0) stored();
    });
}
