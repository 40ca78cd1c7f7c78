import { type AccountOwner, accountKey, type LinkedDevice, linkedDevice } from '../devices/linked.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A group as last reported by the network. Only the device's owner writes the row. */
export interface GroupRow<Record = object> {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly account: string;
  readonly group_id: string;
  readonly subject: string;
  readonly record: Record;
  /** The network's picture id ('' until a notice reports it), and our media key if we have it. */
  readonly picture?: { readonly id: string; readonly key: string };
  /** Time of the latest notice, by the network's clock. Older notices change nothing. */
  readonly at: number;
  readonly requests?: readonly Asking[];
  readonly read_at: number;
  readonly epoch: number;
}

export interface Asking {
  readonly phone: string | null;
  readonly lid: string | null;
}

export interface ToldGroup<Record> {
  readonly group_id: string;
  readonly subject: string;
  readonly record: Record;
  readonly at?: number;
}

export interface Groups<Record> {
  put(by: AccountOwner, told: ToldGroup<Record>, now: number): Promise<void>;
  putNew(by: AccountOwner, told: readonly ToldGroup<Record>[], now: number): Promise<void>;
  find(device: LinkedDevice, groupId: string): Promise<GroupRow<Record> | null>;
  change(row: GroupRow<Record>, changed: Pick<GroupRow<Record>, 'subject' | 'record' | 'at'>): Promise<boolean>;
  setPicture(device: LinkedDevice, groupId: string, picture: GroupRow['picture'] | null): Promise<void>;
  pictureChanged(device: LinkedDevice, groupId: string, id: string | null): Promise<void>;
  setRequests(device: LinkedDevice, groupId: string, requests: readonly Asking[]): Promise<void>;
  of(device: LinkedDevice): Promise<readonly GroupRow<Record>[]>;
  behind(device: LinkedDevice, after: string, limit: number): AsyncIterable<GroupRow<Record>>;
  named(tenantId: string, groupIds: readonly string[]): Promise<readonly Pick<GroupRow<Record>, '_id' | 'group_id' | 'subject'>[]>;
  anyOf(tenantId: string, groupId: string): Promise<GroupRow<Record> | null>;
  remove(device: LinkedDevice, groupId: string): Promise<void>;
  keepOnly(device: LinkedDevice, ids: readonly string[], before: number): Promise<void>;
  forget(sessionId: string): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'groups',
  indexes: [
    { name: 'of_session', keys: { session_id: 1, group_id: 1 } },
    { name: 'of_group', keys: { tenant_id: 1, group_id: 1 } },
  ],
};

const MAX_REQUESTS = 1_000;

const keyOf = (device: LinkedDevice, groupId: string): string => `${accountKey(device)}:${groupId}`;

export function groupsIn<Record extends object>(store: Store): Groups<Record> {
  const groups: Collection<GroupRow<Record>> = store.collection<GroupRow<Record>>(spec);

  const rowOf = (by: AccountOwner, { group_id, subject, record, at = 0 }: ToldGroup<Record>, now: number): GroupRow<Record> => {
    const { tenantId: tenant_id, sessionId: session_id, epoch } = by.owner;
    const device = linkedDevice(by);
    const whose = { _id: keyOf(device, group_id), tenant_id, session_id, account: accountKey(device) };
    return { ...whose, group_id, subject, record, at, read_at: now, epoch };
  };

  return {
    async put(by, told, now) {
      const { _id, at, ...row } = rowOf(by, told, now);
      try {
        const $set = told.at === undefined ? row : { ...row, at };
        const { matchedCount } = await groups.updateOne({ _id, epoch: { $lte: row.epoch } }, { $set });
        if (matchedCount === 0) await groups.insertOne({ _id, at, ...row });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    putNew: async (by, told, now) =>
      void (await insertedOf(
        groups,
        told.map((one) => rowOf(by, one, now)),
      )),

    find: (device, groupId) => groups.findOne({ _id: keyOf(device, groupId) }),

    change: async ({ _id, record }, changed) =>
      (await groups.updateOne({ _id, record: { $eq: record } }, { $set: changed })).matchedCount === 1,

    setPicture: async (device, groupId, picture) =>
      void (await groups.updateOne({ _id: keyOf(device, groupId) }, picture ? { $set: { picture } } : { $unset: { picture: true } })),

    async pictureChanged(device, groupId, id) {
      const _id = keyOf(device, groupId);
      if (id !== null && (await groups.updateOne({ _id, 'picture.id': '' }, { $set: { 'picture.id': id } })).matchedCount === 1) return;
      await groups.updateOne(id === null ? { _id } : { _id, 'picture.id': { $ne: id } }, { $unset: { picture: true } });
    },

    setRequests: async (device, groupId, requests) =>
      void (await groups.updateOne({ _id: keyOf(device, groupId) }, { $set: { requests: requests.slice(-MAX_REQUESTS) } })),

    of: (device) => groups.find({ session_id: device._id, account: accountKey(device) }, { sort: { group_id: 1 } }).toArray(),

    behind: (device, after, limit) =>
      groups.find({ session_id: device._id, account: accountKey(device), group_id: { $gt: after } }, { sort: { group_id: 1 }, limit }),

    named: async (tenant_id, groupIds) =>
      groupIds.length === 0 ? [] : groups.find({ tenant_id, group_id: { $in: groupIds } }, { projection: { record: 0 } }).toArray(),

    anyOf: (tenant_id, group_id) => groups.findOne({ tenant_id, group_id }),

    remove: async (device, groupId) => void (await groups.deleteOne({ _id: keyOf(device, groupId) })),

    async keepOnly(device, ids, before) {
      const { _id: session_id } = device;
      const account = accountKey(device);
      await groups.deleteMany({ session_id, account: { $ne: account } });
      await groups.deleteMany({ session_id, account, group_id: { $nin: ids }, read_at: { $lt: before } });
    },

    forget: async (session_id) => void (await groups.deleteMany({ session_id })),
  };
}
