import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A request to create a channel, kept so that a retry can find out whether it was created. */
export interface ChannelIntent {
  /** `<device>:<name of the channel>`, followed by the idempotency key, if any, on a separate line. */
  readonly _id: string;
  readonly name: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** When the network was called, epoch ms. */
  readonly at: number;
  /** The created channel's address; null if the outcome is unknown. */
  readonly made: string | null;
  /** Epoch ms. A later request with this name creates another channel. */
  readonly expires_at: number;
}

export interface ChannelIntents {
  /** Stores the intent and returns null, or returns the existing one, whose unknown outcome must be checked. */
  begin(intent: Omit<ChannelIntent, 'expires_at' | 'made'>): Promise<ChannelIntent | null>;
  ofName(sessionId: string, name: string): Promise<ChannelIntent[]>;
  /** Restarts an intent. Returns false if it changed since it was read. */
  renew(intent: ChannelIntent, at: number): Promise<boolean>;
  /** Records the created channel, because the response to the caller may still be lost. */
  made(id: string, at: number, channelId: string): Promise<void>;
  /** Removes an intent if no channel was created. */
  end(id: string, at: number): Promise<void>;
  /** Removes a deleted channel's intents, so that a later request with its name creates a new channel. */
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
/** Maximum number of calls for one name in a day; the network allows fewer. */
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
