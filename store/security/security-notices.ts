import { upsertWhere } from '../patterns/upsert-where.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

interface AddressRow {
  /** `<tenant>:<person>:<keyed hash of the address>`. */
  readonly _id: string;
  readonly person: string;
  readonly entry: string;
  readonly expires_at: number;
}

/** Progress through the audit log of a tenant: entries up to these numbers are announced. */
export interface NoticeCursor {
  readonly _id: string;
  readonly recorded: number;
  readonly sent: number;
  /** When the first message of the current hour was sent; absent if none was sent. */
  readonly hour_from?: number;
  readonly texts?: number;
  /** Number of changes up to `sent` above the hourly limit, reported in one message after the hour. */
  readonly held?: number;
  /** When the last announced export happened; absent if there was none. */
  readonly exported_at?: number;
}

type Advance = Required<Pick<NoticeCursor, 'sent' | 'hour_from' | 'texts' | 'held'>> & Pick<NoticeCursor, 'exported_at'>;

export interface SecurityNotices {
  cursor(tenantId: string): Promise<NoticeCursor>;
  recorded(tenantId: string, seq: number): Promise<void>;
  /** Stores the progress, unless another caller has advanced from `before`. */
  advance(before: NoticeCursor, now: Advance): Promise<void>;
  /** Returns tenants with held changes whose hour started at or before `from`. */
  held(from: number): Promise<readonly string[]>;
  /** Whether this sign-in is the first from the address by a person who signed in elsewhere before. */
  isNewAddress(person: string, addressHash: string, entry: string, now: number): Promise<boolean>;
}

/** Time after which an unused address counts as new again. */
const REMEMBERED_MS = 180 * 86_400_000;

const cursorSpec: CollectionSpec = {
  name: 'security_cursors',
  indexes: [{ name: 'held', keys: { hour_from: 1 }, where: { held: { $gt: 0 } } }],
};
const addressSpec: CollectionSpec = {
  name: 'known_addresses',
  indexes: [{ name: 'by_person', keys: { person: 1, entry: 1 } }],
  expires: 'expires_at',
};

export function securityNoticesIn(store: Store): SecurityNotices {
  const cursors: Collection<NoticeCursor> = store.collection<NoticeCursor>(cursorSpec);
  const addresses: Collection<AddressRow> = store.collection<AddressRow>(addressSpec);

  return {
    cursor: async (_id) => (await cursors.findOne({ _id })) ?? { _id, recorded: 0, sent: 0 },

    async recorded(_id, recorded) {
      await upsertWhere(cursors, { _id, recorded: { $lt: recorded } }, { $set: { recorded }, $setOnInsert: { sent: 0 } });
    },

    async advance({ _id, sent }, now) {
      await cursors.updateOne({ _id, sent }, { $set: now });
    },

    async held(from) {
      const found = await cursors.find({ held: { $gt: 0 }, hour_from: { $lte: from } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },

    async isNewAddress(person, addressHash, entry, now) {
      const _id = `${person}:${addressHash}`;
      const expires_at = now + REMEMBERED_MS;
      try {
        await addresses.insertOne({ _id, person, entry, expires_at });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        await addresses.updateOne({ _id }, { $set: { expires_at } });
      }
      const row = await addresses.findOne({ _id });
      // Ids of audit entries sort by time, so this finds earlier sign-ins only.
      return row?.entry === entry && (await addresses.findOne({ person, entry: { $lt: entry } })) !== null;
    },
  };
}
