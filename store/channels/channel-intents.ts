import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A channel that somebody asked for, until it is known what became of that. */
export interface ChannelIntent {
  /** `<device>:<name of the channel>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** When the network was asked, epoch ms. */
  readonly at: number;
}

export interface ChannelIntents {
  /** Null: noted now. Else what was noted before, and its outcome is not known: nobody may ask again without looking. */
  begin(intent: ChannelIntent): Promise<ChannelIntent | null>;
  /** The intent as it was read begins anew; false: somebody else was first. */
  renew(intent: ChannelIntent, at: number): Promise<boolean>;
  /** Its outcome is known. */
  end(id: string, at: number): Promise<void>;
}

const spec: CollectionSpec = { name: 'channel_intents', indexes: [{ name: 'of_device', keys: { session_id: 1 } }] };

export function channelIntentsIn(store: Store): ChannelIntents {
  const intents: Collection<ChannelIntent> = store.collection<ChannelIntent>(spec);

  return {
    async begin(intent) {
      try {
        await intents.insertOne(intent);
        return null;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return (await intents.findOne({ _id: intent._id })) ?? intent;
      }
    },

    renew: async ({ _id, at: before }, at) => (await intents.updateOne({ _id, at: before }, { $set: { at } })).matchedCount === 1,

    end: async (_id, at) => void (await intents.deleteOne({ _id, at })),
  };
}
