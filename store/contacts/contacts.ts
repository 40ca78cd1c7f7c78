import { normalized, safeText } from '../../runtime/safe-text.ts';
import { batchesOf } from '../patterns/batches-of.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store, type Update } from '../port.ts';

export interface ContactRow {
  /** ULID of the time of creation, so that ids sort like `created_at`. */
  readonly _id: string;
  readonly tenant_id: string;
  /** Digits, or the hidden address (`…@lid`) of a person whose number is unknown. */
  readonly phone: string;
  readonly username?: string | null;
  readonly country: string | null;
  readonly name: string | null;
  readonly var1: string | null;
  readonly var2: string | null;
  readonly var3: string | null;
  readonly var4: string | null;
  readonly var5: string | null;
  readonly group_id: string | null;
  readonly tag_ids: readonly string[];
  readonly attrs: Readonly<Record<string, string>>;
  readonly last_message_at: number | null;
  /** The import batch, or `message` if an inbound message created the contact and it is unchanged. */
  readonly made_by: string | null;
  readonly rev: number;
  readonly created_at: number;
  readonly updated_at: number;
}

interface StoredContact extends ContactRow {
  readonly name_key: string | null;
  readonly labels: readonly string[];
}

export type ContactPatch = Partial<Omit<ContactRow, '_id' | 'tenant_id' | 'rev' | 'created_at'>>;

/** Indexed: `labels`, `name_key`, `phone`, `group_id`, `last_message_at` and `_id`. */
export type ContactFilter = Filter;

export interface Contacts {
  add(row: ContactRow): Promise<boolean>;
  addMany(rows: readonly ContactRow[]): Promise<boolean>;
  find(tenantId: string, id: string): Promise<ContactRow | null>;
  byIds(tenantId: string, ids: readonly string[]): Promise<ContactRow[]>;
  byPhones(tenantId: string, phones: readonly string[]): Promise<ContactRow[]>;
  newest(tenantId: string, filter: ContactFilter, limit: number, beforeId: string | null): AsyncIterable<ContactRow>;
  oldest(tenantId: string, filter: ContactFilter, limit: number, afterId: string): Promise<ContactRow[]>;
  /**
   * Yields the oldest contacts first, from a single query. Calling `oldest` repeatedly would make
   * some stores sort again for each page.
   */
  each(tenantId: string, filter: ContactFilter, together: number): AsyncIterable<ContactRow>;
  count(tenantId: string, filter: ContactFilter): Promise<number>;
  change(row: ContactRow, patch: ContactPatch): Promise<ContactRow | 'taken' | null>;
  tag(tenantId: string, ids: readonly string[], tagId: string, limit: number, now: number): Promise<number>;
  untag(tenantId: string, ids: readonly string[], tagId: string, now: number): Promise<number>;
  setGroup(tenantId: string, ids: readonly string[], groupId: string | null, now: number): Promise<number>;
  leaveGroup(tenantId: string, ids: readonly string[], groupId: string, now: number): Promise<number>;
  remove(tenantId: string, ids: readonly string[]): Promise<number>;
  byUsernames(tenantId: string, usernames: readonly string[]): Promise<readonly ContactRow[]>;
  receivedFrom(tenantId: string, phone: string, at: number): Promise<void>;
}

export const contactsSpec: CollectionSpec = {
  name: 'contacts',
  indexes: [
    { name: 'by_phone', keys: { tenant_id: 1, phone: 1 }, unique: true },
    { name: 'newest', keys: { tenant_id: 1, _id: -1 } },
    { name: 'labelled', keys: { tenant_id: 1, labels: 1, _id: -1 } },
    { name: 'of_group', keys: { tenant_id: 1, group_id: 1, _id: -1 } },
    { name: 'by_name', keys: { tenant_id: 1, name_key: 1 } },
    { name: 'last_heard', keys: { tenant_id: 1, last_message_at: 1 } },
  ],
  arrays: ['labels', 'tag_ids'],
};

export const folded = (text: string): string => normalized(safeText(text), 'NFKC').toLowerCase().trim();

export const label = {
  hidden: 'h',
  username: (username: string) => `u:${folded(username)}`,
  tag: (tagId: string) => `t:${tagId}`,
  country: (country: string) => `c:${country}`,
  someCountry: 'c',
  attribute: (attributeId: string) => `a:${attributeId}`,
  value: (attributeId: string, value: string) => `a:${attributeId}=${folded(value)}`,
};

export function contactsIn(store: Store): Contacts {
  const contacts: Collection<StoredContact> = store.collection<StoredContact>(contactsSpec);
  /**
   * Updates about a megabyte at a time. A larger update may block the process for too long, because
   * each contact is read and written as a whole.
   */
  async function touch(filter: Filter, now: number, { $set, ...more }: Update): Promise<number> {
    const update = { ...more, $set: { ...$set, updated_at: now }, $inc: { rev: 1 } };
    let count = 0;
    for await (const some of batchesOf(contacts.find(filter)))
      count += (await contacts.updateMany({ ...filter, _id: { $in: some.map(({ _id }) => _id) } }, update)).matchedCount;
    return count;
  }

  return {
    add: (row) => contacts.insertOne(stored(row)).then(() => true, refusedIfTaken),

    async addMany(rows) {
      if (rows.length === 0) return true;
      return contacts.insertMany(rows.map(stored), { ordered: false }).then(() => true, refusedIfTaken);
    },

    find: (tenant_id, _id) => contacts.findOne({ _id, tenant_id }),
    byIds: async (tenant_id, ids) => (ids.length === 0 ? [] : contacts.find({ _id: { $in: ids }, tenant_id }).toArray()),
    byPhones: async (tenant_id, phones) => (phones.length === 0 ? [] : contacts.find({ tenant_id, phone: { $in: phones } }).toArray()),

    newest: (tenant_id, filter, limit, beforeId) =>
      contacts.find(within(tenant_id, beforeId === null ? {} : { _id: { $lt: beforeId } }, filter), { sort: { _id: -1 }, limit }),

    oldest: (tenant_id, filter, limit, afterId) =>
      // Reads in pieces, because a contact may hold 25,000 characters.
      Array.fromAsync(
        contacts.find(within(tenant_id, afterId === '' ? {} : { _id: { $gt: afterId } }, filter), { sort: { _id: 1 }, limit }),
      ),

    each: (tenant_id, filter, batchSize) => contacts.find(within(tenant_id, {}, filter), { sort: { _id: 1 }, batchSize }),

    count: (tenant_id, filter) => contacts.countDocuments(within(tenant_id, {}, filter)),

    async change(row, patch) {
      const update = { $set: { ...patch, ...derived({ ...row, ...patch }) }, $inc: { rev: 1 } };
      const filter = { _id: row._id, tenant_id: row.tenant_id, rev: row.rev };
      try {
        return await contacts.findOneAndUpdate(filter, update, { returnDocument: 'after' });
      } catch (cause) {
        if (isDuplicateKey(cause)) return 'taken';
        throw cause;
      }
    },

    async tag(tenant_id, ids, tagId, limit, now) {
      const without = { tenant_id, labels: { $ne: label.tag(tagId) } };
      const rows = await Array.fromAsync(contacts.find({ ...without, _id: { $in: ids } }, { projection: { tag_ids: 1 } }));
      const fitting = rows.filter(({ tag_ids }) => tag_ids.length < limit).map(({ _id }) => _id);
      return touch({ ...without, _id: { $in: fitting } }, now, { $addToSet: { tag_ids: tagId, labels: label.tag(tagId) } });
    },

    untag: (tenant_id, ids, tagId, now) =>
      touch({ _id: { $in: ids }, tenant_id, labels: label.tag(tagId) }, now, { $pull: { tag_ids: tagId, labels: label.tag(tagId) } }),

    setGroup: (tenant_id, ids, group_id, now) =>
      touch({ _id: { $in: ids }, tenant_id, group_id: { $ne: group_id } }, now, { $set: { group_id } }),

    leaveGroup: (tenant_id, ids, group_id, now) => touch({ _id: { $in: ids }, tenant_id, group_id }, now, { $set: { group_id: null } }),

    remove: async (tenant_id, ids) => (await contacts.deleteMany({ _id: { $in: ids }, tenant_id })).deletedCount,

    byUsernames: async (tenant_id, usernames) =>
      usernames.length === 0 ? [] : contacts.find({ tenant_id, labels: { $in: usernames.map(label.username) } }).toArray(),

    receivedFrom: async (tenant_id, phone, at) =>
      void (await contacts.updateOne(
        { tenant_id, phone, $or: [{ last_message_at: null }, { last_message_at: { $lt: at } }] },
        { $set: { last_message_at: at } },
      )),
  };
}

export const within = (tenant_id: string, place: Filter, filter: ContactFilter): Filter => ({ tenant_id, ...place, $and: [filter] });

const stored = (row: ContactRow): StoredContact => ({ ...row, ...derived(row) });

function derived({ phone, username, name, country, tag_ids, attrs }: ContactRow): Pick<StoredContact, 'name_key' | 'labels'> {
  return {
    name_key: name === null ? null : folded(name),
    labels: [
      ...tag_ids.map(label.tag),
      ...(phone.includes('@') ? [label.hidden] : []),
      ...(username ? [label.username(username)] : []),
      ...(country === null ? [] : [label.someCountry, label.country(country)]),
      ...Object.entries(attrs).flatMap(([id, value]) => [label.attribute(id), label.value(id, value)]),
    ],
  };
}

function refusedIfTaken(cause: unknown): false {
  if (isDuplicateKey(cause)) return false;
  throw cause;
}
