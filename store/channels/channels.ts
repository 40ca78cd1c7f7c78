import type { DeviceRow } from '../devices/devices.ts';
import { accountKey, type LinkedDevice } from '../devices/linked.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface ChannelRow<Record = object> {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly account: string;
  readonly channel_id: string;
  readonly name: string;
  readonly record: Record;
  /** Time of the network's report. An earlier report does not replace a later one. */
  readonly at: number;
}

export interface Channels<Record> {
  put(
    device: LinkedDevice & Pick<DeviceRow, 'tenant_id'>,
    told: Pick<ChannelRow<Record>, 'channel_id' | 'name' | 'record' | 'at'>,
  ): Promise<void>;
  find(device: LinkedDevice, channelId: string): Promise<ChannelRow<Record> | null>;
  change(row: ChannelRow<Record>, changed: Pick<ChannelRow<Record>, 'name' | 'record' | 'at'>): Promise<boolean>;
  named(tenantId: string, channelIds: readonly string[]): Promise<readonly ChannelRow<Record>[]>;
  of(device: LinkedDevice): Promise<readonly ChannelRow<Record>[]>;
  remove(device: LinkedDevice, channelId: string): Promise<void>;
  /** Removes channels reported before `at`, except `ids`, and all channels of accounts linked earlier. */
  keepOnly(device: LinkedDevice, ids: readonly string[], at: number): Promise<void>;
  forget(sessionId: string): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'channels',
  indexes: [
    { name: 'of_session', keys: { session_id: 1, channel_id: 1 } },
    { name: 'of_channel', keys: { tenant_id: 1, channel_id: 1 } },
  ],
};

const keyOf = (device: LinkedDevice, channelId: string): string => `${accountKey(device)}:${channelId}`;

export function channelsIn<Record extends object>(store: Store): Channels<Record> {
  const channels: Collection<ChannelRow<Record>> = store.collection<ChannelRow<Record>>(spec);

  return {
    async put(device, told) {
      const _id = keyOf(device, told.channel_id);
      const row = { tenant_id: device.tenant_id, session_id: device._id, account: accountKey(device), ...told };
      try {
        const { matchedCount } = await channels.updateOne({ _id, at: { $lte: row.at } }, { $set: row });
        if (matchedCount === 0) await channels.insertOne({ _id, ...row });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    find: (device, channelId) => channels.findOne({ _id: keyOf(device, channelId) }),

    change: async ({ _id, at }, changed) => (await channels.updateOne({ _id, at }, { $set: changed })).matchedCount === 1,

    named: async (tenant_id, channelIds) =>
      channelIds.length === 0 ? [] : channels.find({ tenant_id, channel_id: { $in: channelIds } }).toArray(),

    of: (device) => channels.find({ session_id: device._id, account: accountKey(device) }, { sort: { channel_id: 1 } }).toArray(),

    remove: async (device, channelId) => void (await channels.deleteOne({ _id: keyOf(device, channelId) })),

    async keepOnly(device, ids, at) {
      const { _id: session_id } = device;
      const account = accountKey(device);
      await channels.deleteMany({ session_id, account: { $ne: account } });
      await channels.deleteMany({ session_id, account, channel_id: { $nin: ids }, at: { $lt: at } });
    },

    forget: async (session_id) => void (await channels.deleteMany({ session_id })),
  };
}
