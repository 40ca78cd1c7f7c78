import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A channel that a device owns or follows, as the network told it last. */
export interface ChannelRow<Record = object> {
  /** `<device>:<address of the channel>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly channel_id: string;
  readonly name: string;
  readonly record: Record;
  /** Epoch ms: what the network told earlier does not replace it. */
  readonly at: number;
}

export interface Channels<Record> {
  /** As the network told it at `at`; a later word stays. */
  put(row: Omit<ChannelRow<Record>, '_id'>): Promise<void>;
  find(sessionId: string, channelId: string): Promise<ChannelRow<Record> | null>;
  /** Changes what is still as it was read; false: it is not. */
  change(row: ChannelRow<Record>, changed: Pick<ChannelRow<Record>, 'name' | 'record' | 'at'>): Promise<boolean>;
  /** Those among these addresses that any device of the tenant knows. */
  named(tenantId: string, channelIds: readonly string[]): Promise<readonly ChannelRow<Record>[]>;
  of(sessionId: string): Promise<readonly ChannelRow<Record>[]>;
  remove(sessionId: string, channelId: string): Promise<void>;
  /** Of the channels known since before `at`, only these are left. */
  keepOnly(sessionId: string, ids: readonly string[], at: number): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'channels',
  indexes: [
    { name: 'of_session', keys: { session_id: 1, channel_id: 1 } },
    { name: 'of_channel', keys: { tenant_id: 1, channel_id: 1 } },
  ],
};

const keyOf = (sessionId: string, channelId: string): string => `${sessionId}:${channelId}`;

export function channelsIn<Record extends object>(store: Store): Channels<Record> {
  const channels: Collection<ChannelRow<Record>> = store.collection<ChannelRow<Record>>(spec);

  return {
    async put(row) {
      const _id = keyOf(row.session_id, row.channel_id);
      try {
        const { matchedCount } = await channels.updateOne({ _id, at: { $lte: row.at } }, { $set: row });
        if (matchedCount === 0) await channels.insertOne({ _id, ...row });
      } catch (cause) {
        // A later word is there.
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    find: (sessionId, channelId) => channels.findOne({ _id: keyOf(sessionId, channelId) }),

    change: async ({ _id, at }, changed) => (await channels.updateOne({ _id, at }, { $set: changed })).matchedCount === 1,

    named: async (tenant_id, channelIds) =>
      channelIds.length === 0 ? [] : channels.find({ tenant_id, channel_id: { $in: channelIds } }).toArray(),

    of: (session_id) => channels.find({ session_id }, { sort: { channel_id: 1 } }).toArray(),

    remove: async (sessionId, channelId) => void (await channels.deleteOne({ _id: keyOf(sessionId, channelId) })),

    keepOnly: async (session_id, ids, at) => void (await channels.deleteMany({ session_id, channel_id: { $nin: ids }, at: { $lt: at } })),
  };
}
