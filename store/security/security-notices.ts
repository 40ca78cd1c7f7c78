import { upsertWhere } from '../patterns/upsert-where.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

interface AddressRow {
  readonly _id: string;
  readonly person: string;
  readonly entry: string;
  readonly expires_at: number;
}

/** Audit log entries up to these numbers have been announced. */
export interface NoticeCursor {
  readonly _id: string;
  readonly recorded: number;
  readonly sent: number;
  readonly hour_from?: number;
  readonly texts?: number;
  /** Number of changes above the hourly limit, which one message reports after the hour. */
  readonly held?: number;
  readonly exported_at?: number;
}

type Advance = Required<Pick<NoticeCursor, 'sent' | 'hour_from' | 'texts' | 'held'>> & Pick<NoticeCursor, 'exported_at'>;

export interface SecurityNotices {
  cursor(tenantId: string): Promise<NoticeCursor>;
  recorded(tenantId: string, seq: number): Promise<void>;
  advance(before: NoticeCursor, now: Advance): Promise<void>;
  held(from: number): Promise<readonly string[]>;
  /** Returns true if the person has signed in before, but never from this address. */
  isNewAddress(person: string, addressHash: string, entry: string, now: number): Promise<boolean>;
}

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
      // The ids of audit entries sort by time, so this finds only earlier sign-ins.
      return row?.entry === entry && (await addresses.findOne({ person, entry: { $lt: entry } })) !== null;
    },
  };
}
