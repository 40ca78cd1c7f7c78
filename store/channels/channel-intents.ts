import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Stored before a channel is created, so that a retry can find out whether the creation succeeded. */
export interface ChannelIntent {
  /** `<device>:<channel name>`, with the idempotency key on a second line if there is one. */
  readonly _id: string;
  readonly name: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly at: number;
  readonly made: string | null;
  /** After this time, a request with the same name creates another channel. */
  readonly expires_at: number;
}

export interface ChannelIntents {
  /** Returns null if the intent was stored, or else the existing one, whose outcome must be checked. */
  begin(intent: Omit<ChannelIntent, 'expires_at' | 'made'>): Promise<ChannelIntent | null>;
  ofName(sessionId: string, name: string): Promise<ChannelIntent[]>;
  renew(intent: ChannelIntent, at: number): Promise<boolean>;
  made(id: string, at: number, channelId: string): Promise<void>;
  end(id: string, at: number): Promise<void>;
  /** Call this after a deletion, so that a request with the channel's name creates a new one. */
  gone(sessionId: string, channelId: string): Promise<void>;
  forget(sessionId: string): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'channel_intents',
  indexes: [{ name: 'of_name', keys: { session_id: 1, name: 1, at: -1 } }],
  retired: ['of_device'],
  expires: 'expires_at',
};

const KEPT_MS = 86_400_000;
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
