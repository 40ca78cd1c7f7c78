import type { Channels } from '../../../store/channels/channels.ts';
import { type AccountOwner, linkedDevice } from '../../../store/devices/linked.ts';
import type { ChannelFact, ChannelRecord } from '../../network/channels.ts';
import type { People } from '../people/people.ts';
import { toChannel } from './shown.ts';

export interface ChannelFactDeps {
  readonly channels: Channels<ChannelRecord>;
  readonly persons: People;
}

const MAX_TRIES = 5;
/** The network reports whole seconds, and its clock may be behind ours. */
const SKEW_MS = 60_000;

export async function keepChannelFact({ channels }: ChannelFactDeps, by: AccountOwner, fact: ChannelFact, at: number): Promise<void> {
  const device = linkedDevice(by);
  if (fact.fact === 'channel.joined') {
    const { channel: record } = fact;
    return channels.put(device, { channel_id: record.id, name: record.name, record, at });
  }
  if (fact.fact === 'channel.left') return channels.remove(device, fact.channel_id);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const row = await channels.find(device, fact.channel_id);
    if (!row || row.at > at + SKEW_MS) return;
    const { state: _, ...changed } = fact.changed;
    const record = { ...row.record, ...changed };
    if (await channels.change(row, { record, name: record.name, at: Math.max(at, row.at) })) return;
  }
}

export async function channelFactData({ persons }: ChannelFactDeps, tenantId: string, fact: ChannelFact, at: number): Promise<object> {
  const [by = null] = fact.by ? await persons.describe(tenantId, [fact.by]) : [];
  const common = { channel_id: fact.channel_id, by, at };
  switch (fact.fact) {
    case 'channel.joined':
      return { ...common, role: fact.channel.role, channel: toChannel(fact.channel) };
    case 'channel.left':
      return { ...common, reason: fact.reason };
    case 'channel.updated':
      return { ...common, changed: fact.changed };
  }
}
