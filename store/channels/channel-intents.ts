import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A channel that somebody asked for, until its caller must know what became of that. */
export interface ChannelIntent {
  /** `<device>:<name of the channel>`; behind it, in a line of its own, the key of a call that had one. */
  readonly _id: string;
  readonly name: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** When the network was asked, epoch ms. */
  readonly at: number;
  /** The address of what was made; null: its outcome is not known. */
  readonly made: string | null;
  /** Epoch ms. Who asks for the same later means another channel. */
  readonly expires_at: number;
}

export interface ChannelIntents {
  /** Null: noted now. Else what was noted before: where its outcome is not known, nobody may ask again without looking. */
  begin(intent: Omit<ChannelIntent, 'expires_at' | 'made'>): Promise<ChannelIntent | null>;
  /** All of a device for this name, the newest first. */
  ofName(sessionId: string, name: string): Promise<ChannelIntent[]>;
  /** The intent as it was read begins anew; false: somebody else was first. */
  renew(intent: ChannelIntent, at: number): Promise<boolean>;
  /** It was made. The answer to its caller may still be lost. */
  made(id: string, at: number, channelId: string): Promise<void>;
  /** Nothing was made. */
  end(id: string, at: number): Promise<void>;
  /** What was made is deleted: who asks for its name again means another one. */
  gone(sessionId: string, channelId: string): Promise<void>;
  /** All of a device that is removed. */
  forget(sessionId: string): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'channel_intents',
  indexes: [{ name: 'of_name', keys: { session_id: 1, name: 1, at: -1 } }],
  retired: ['of_device'],
  expires: 'expires_at',
};

const KEPT_MS = 86_400_000;
/** Calls for one name in a day; the network allows fewer. */
const MAX_TOGETHER = 100;

export function channelIntentsIn(store: Store): ChannelIntents {
  const intents: Collection<ChannelIntent> = store.collection<ChannelIntent>(spec);

  return {
    async begin(asked) {
      const intent = { ...asked, made: null, expires_at: asked.at + KEPT_MS };
      try {
        await intents.insertOne(intent);
        return null;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return (await intents.findOne({ _id: intent._id })) ?? intent;
      }
    },

    ofName: (session_id, name) => intents.find({ session_id, name }, { sort: { at: -1 }, limit: MAX_TOGETHER }).toArray(),

    renew: async ({ _id, at: before }, at) =>
      (await intents.updateOne({ _id, at: before }, { $set: { at, made: null, expires_at: at + KEPT_MS } })).matchedCount === 1,

    made: async (_id, at, made) => void (await intents.updateOne({ _id, at }, { $set: { made } })),

    end: async (_id, at) => void (await intents.deleteOne({ _id, at })),

    gone: async (session_id, made) => void (await intents.deleteMany({ session_id, made })),

    forget: async (session_id) => void (await intents.deleteMany({ session_id })),
  };
}
