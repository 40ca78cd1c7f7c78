import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A group or community that a device is in, as the network told it last. */
export interface GroupRow<Record = object> {
  /** `<device>:<address of the group>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly group_id: string;
  readonly subject: string;
  readonly record: Record;
  /** The network's id of the picture, and our key of it, where it is ours. */
  readonly picture?: { readonly id: string; readonly key: string };
  /** Epoch ms: what the network told earlier does not replace it. */
  readonly at: number;
}

export interface Groups<Record> {
  /** As the network told it at `at`; a later word stays. */
  put(row: Omit<GroupRow<Record>, '_id' | 'picture'>): Promise<void>;
  find(sessionId: string, groupId: string): Promise<GroupRow<Record> | null>;
  /** Changes what is still as it was read; false: it is not. */
  change(row: GroupRow<Record>, changed: Partial<Pick<GroupRow<Record>, 'subject' | 'record' | 'at'>>): Promise<boolean>;
  setPicture(sessionId: string, groupId: string, picture: GroupRow['picture'] | null): Promise<void>;
  of(sessionId: string): Promise<readonly GroupRow<Record>[]>;
  /** Those among these addresses that any device of the tenant is in. */
  named(tenantId: string, groupIds: readonly string[]): Promise<readonly GroupRow<Record>[]>;
  /** The device is in this group no more; or in none but `ids`. */
  remove(sessionId: string, groupId: string): Promise<void>;
  keepOnly(sessionId: string, ids: readonly string[], at: number): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'groups',
  indexes: [
    { name: 'of_session', keys: { session_id: 1, group_id: 1 } },
    { name: 'of_group', keys: { tenant_id: 1, group_id: 1 } },
  ],
};

const keyOf = (sessionId: string, groupId: string): string => `${sessionId}:${groupId}`;

export function groupsIn<Record extends object>(store: Store): Groups<Record> {
  const groups: Collection<GroupRow<Record>> = store.collection<GroupRow<Record>>(spec);

  return {
    async put(row) {
      const _id = keyOf(row.session_id, row.group_id);
      try {
        const { matchedCount } = await groups.updateOne({ _id, at: { $lte: row.at } }, { $set: row });
        if (matchedCount === 0) await groups.insertOne({ _id, ...row });
      } catch (cause) {
        // A later word is there.
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    find: (sessionId, groupId) => groups.findOne({ _id: keyOf(sessionId, groupId) }),

    change: async ({ _id, record }, changed) =>
      (await groups.updateOne({ _id, record: { $eq: record } }, { $set: changed })).matchedCount === 1,

    setPicture: async (sessionId, groupId, picture) =>
      void (await groups.updateOne({ _id: keyOf(sessionId, groupId) }, picture ? { $set: { picture } } : { $unset: { picture: true } })),

    of: (session_id) => groups.find({ session_id }, { sort: { group_id: 1 } }).toArray(),

    named: async (tenant_id, groupIds) => (groupIds.length === 0 ? [] : groups.find({ tenant_id, group_id: { $in: groupIds } }).toArray()),

    remove: async (sessionId, groupId) => void (await groups.deleteOne({ _id: keyOf(sessionId, groupId) })),

    keepOnly: async (session_id, ids, at) => void (await groups.deleteMany({ session_id, group_id: { $nin: ids }, at: { $lt: at } })),
  };
}
