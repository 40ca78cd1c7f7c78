import type { SafeText } from '../../runtime/safe-text.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface SavedNameRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly name: SafeText;
  readonly at: number;
}

export interface SavedNames {
  /** A null name removes the stored one. Has no effect if a later name is stored. */
  put(person: Pick<SavedNameRow, 'tenant_id' | 'session_id' | 'chat_id' | 'at'>, name: SafeText | null): Promise<void>;
  named(tenantId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  forget(sessionId: string): Promise<void>;
}

const MOST_OF_DEVICE = 20_000;

const spec: CollectionSpec = {
  name: 'saved_names',
  indexes: [
    { name: 'of_person', keys: { tenant_id: 1, chat_id: 1 } },
    { name: 'of_session', keys: { session_id: 1 } },
  ],
};

export function savedNamesIn(store: Store): SavedNames {
  const names: Collection<SavedNameRow> = store.collection<SavedNameRow>(spec);

  return {
    async put({ at, ...person }, name) {
      const _id = `${person.session_id}:${person.chat_id}`;
      const earlier = { _id, at: { $lte: at } };
      if (name === null) return void (await names.deleteMany(earlier));
      if ((await names.updateOne(earlier, { $set: { name, at } })).matchedCount === 1) return;
      if ((await names.countDocuments({ session_id: person.session_id }, { limit: MOST_OF_DEVICE })) >= MOST_OF_DEVICE) return;
      try {
        await names.insertOne({ _id, ...person, name, at });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    async named(tenant_id, chatIds) {
      if (chatIds.length === 0) return new Map();
      const rows = await names.find({ tenant_id, chat_id: { $in: [...chatIds] } }).toArray();
      return new Map(rows.toSorted((one, other) => one.at - other.at).map(({ chat_id, name }) => [chat_id, name]));
    },

    forget: async (session_id) => void (await names.deleteMany({ session_id })),
  };
}
