import { upsertWhere } from '../patterns/upsert-where.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Where somebody signed in from. */
interface AddressRow {
  /** `<tenant>:<person>:<keyed hash of the address>`. */
  readonly _id: string;
  readonly person: string;
  /** The audit entry of the first sign-in from there. */
  readonly entry: string;
  readonly expires_at: number;
}

/** How far the audit log of a tenant was followed: all entries up to these numbers were announced. */
export interface NoticeCursor {
  /** The tenant. */
  readonly _id: string;
  /** As events. */
  readonly recorded: number;
  /** As messages to the owner. */
  readonly sent: number;
  /** When the first message of the present hour was sent. Absent: none was. */
  readonly hour_from?: number;
  /** Messages since then. */
  readonly texts?: number;
  /** Changes up to `sent` that were too many for that hour: one message tells of them when it is over. */
  readonly held?: number;
  /** When the last export happened of which there was a notice. Absent: none did. */
  readonly exported_at?: number;
}

type Advance = Required<Pick<NoticeCursor, 'sent' | 'hour_from' | 'texts' | 'held'>> & Pick<NoticeCursor, 'exported_at'>;

export interface SecurityNotices {
  cursor(tenantId: string): Promise<NoticeCursor>;
  /** All entries up to `seq` are events now. */
  recorded(tenantId: string, seq: number): Promise<void>;
  /** What was sent and what is held, unless somebody else went on from `before` meanwhile. */
  advance(before: NoticeCursor, now: Advance): Promise<void>;
  /** Tenants with held changes whose hour began at `from` or before. */
  held(from: number): Promise<readonly string[]>;
  /**
   * Is this sign-in (the audit entry `entry`) the first from that address, of somebody who signed in from elsewhere before? The same answer
   * however often it is asked.
   */
  isNewAddress(person: string, addressHash: string, entry: string, now: number): Promise<boolean>;
}

/** An address that was not used for so long is new again. */
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
      // Ids of audit entries sort by time: of what came before this one only.
      return row?.entry === entry && (await addresses.findOne({ person, entry: { $lt: entry } })) !== null;
    },
  };
}
