import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface WaitingQuestion {
  readonly message_id: string;
  readonly at: number;
  readonly text: string;
  readonly is_handoff: boolean;
}

export type SilenceReason = 'agent' | 'handoff' | 'echo' | 'too_fast' | 'max_per_chat_hour';

export interface AiChatRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly waiting: readonly WaitingQuestion[];
  readonly answering: readonly WaitingQuestion[];
  readonly due_at: number | null;
  readonly received: readonly string[];
  readonly replies: readonly number[];
  readonly asked?: readonly number[];
  readonly said: readonly { readonly text: string; readonly at: number }[];
  readonly silence: { readonly reason: SilenceReason; readonly since: number; readonly until: number } | null;
  readonly rev: number;
  readonly expires_at: number;
}

export type AiChatPatch = Partial<Omit<AiChatRow, '_id' | 'tenant_id' | 'session_id' | 'chat_id' | 'rev'>>;

export interface AiChatAddress {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly chatId: string;
}

export interface AiChats {
  find(address: AiChatAddress): Promise<AiChatRow | null>;
  /** Calls `decide` again if the row has changed in the meantime. A null patch leaves the row unchanged. */
  change(address: AiChatAddress, decide: (row: AiChatRow) => AiChatPatch | null): Promise<AiChatRow | null>;
  due(tenantId: string, until: number, limit: number): Promise<AiChatRow[]>;
  nextDue(tenantId: string, now: number): Promise<number | null>;
  ofPerson(tenantId: string, chatId: string): Promise<AiChatRow[]>;
  remove(row: AiChatRow): Promise<void>;
  removePerson(tenantId: string, chatIds: readonly string[]): Promise<number>;
}

const spec: CollectionSpec = {
  name: 'ai_chats',
  indexes: [
    { name: 'due', keys: { tenant_id: 1, due_at: 1 }, where: { due_at: { $gte: 0 } } },
    { name: 'of_person', keys: { tenant_id: 1, chat_id: 1 } },
  ],
  expires: 'expires_at',
};

export function aiChatsIn(store: Store): AiChats {
  const chats: Collection<AiChatRow> = store.collection<AiChatRow>(spec);
  const find = ({ tenantId, sessionId, chatId }: AiChatAddress): Promise<AiChatRow | null> =>
    chats.findOne({ _id: `${sessionId}:${chatId}`, tenant_id: tenantId });

  async function open(row: AiChatRow): Promise<boolean> {
    try {
      await chats.insertOne(row);
      return true;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return false;
    }
  }

  return {
    find,

    async change(address, decide) {
      for (;;) {
        const before = await find(address);
        const patch = decide(before ?? empty(address));
        if (!patch) return before;
        if (!before) {
          const made = { ...empty(address), ...patch };
          if (await open(made)) return made;
          continue;
        }
        const { _id, rev } = before;
        const after = await chats.findOneAndUpdate({ _id, rev }, { $set: patch, $inc: { rev: 1 } }, { returnDocument: 'after' });
        if (after) return after;
      }
    },

    due: (tenant_id, until, limit) => chats.find({ tenant_id, due_at: { $gte: 0, $lte: until } }, { sort: { due_at: 1 }, limit }).toArray(),
    nextDue: async (tenant_id, now) => (await chats.findOne({ tenant_id, due_at: { $gt: now } }, { sort: { due_at: 1 } }))?.due_at ?? null,
    ofPerson: (tenant_id, chat_id) => chats.find({ tenant_id, chat_id }).toArray(),
    remove: async ({ _id, rev }) => void (await chats.deleteOne({ _id, rev })),
    removePerson: async (tenant_id, chatIds) => (await chats.deleteMany({ tenant_id, chat_id: { $in: chatIds } })).deletedCount,
  };
}

const empty = ({ tenantId, sessionId, chatId }: AiChatAddress): AiChatRow => ({
  _id: `${sessionId}:${chatId}`,
  tenant_id: tenantId,
  session_id: sessionId,
  chat_id: chatId,
  waiting: [],
  answering: [],
  due_at: null,
  received: [],
  replies: [],
  said: [],
  silence: null,
  rev: 0,
  expires_at: 0,
});
