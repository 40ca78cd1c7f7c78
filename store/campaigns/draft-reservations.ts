import { CLAIM_MS } from '../../runtime/claims.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Drafts that are about to be stored. They count towards the limits until their rows exist. */
export interface DraftRoom {
  readonly drafts: number;
  readonly recipients: number;
}

interface Reserved extends DraftRoom {
  readonly at: number;
}

interface ReservationsRow {
  readonly _id: string;
  readonly reserved: Readonly<Record<string, Reserved>>;
  readonly rev: number;
}

export interface DraftReservation extends DraftRoom {
  readonly rev: number;
}

/** Read reservations before stored rows, so that a concurrent write is counted twice rather than missed. */
export interface DraftReservations {
  reserved(tenantId: string, now: number): Promise<DraftReservation>;
  reserve(tenantId: string, name: string, room: DraftRoom, rev: number, now: number): Promise<boolean>;
  keep(tenantId: string, name: string, room: DraftRoom, now: number): Promise<void>;
  renew(tenantId: string, name: string, now: number): Promise<boolean>;
  release(tenantId: string, name: string): Promise<void>;
}

const spec: CollectionSpec = { name: 'draft_reservations', indexes: [] };

export function draftReservationsIn(store: Store): DraftReservations {
  const rows: Collection<ReservationsRow> = store.collection<ReservationsRow>(spec);

  async function rowOf(_id: string): Promise<ReservationsRow> {
    const found = await rows.findOne({ _id });
    if (found) return found;
    const first: ReservationsRow = { _id, reserved: {}, rev: 0 };
    try {
      await rows.insertOne(first);
      return first;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return (await rows.findOne({ _id })) ?? first;
    }
  }

  return {
    async reserved(tenantId, now) {
      const { reserved, rev } = await rowOf(tenantId);
      const held = Object.entries(reserved);
      const live = held.filter(([, { at }]) => Math.abs(now - at) < CLAIM_MS);
      if (live.length < held.length) await rows.updateOne({ _id: tenantId, rev }, { $set: { reserved: Object.fromEntries(live) } });
      const sum = (field: keyof DraftRoom): number => live.reduce((all, [, one]) => all + one[field], 0);
      return { drafts: sum('drafts'), recipients: sum('recipients'), rev };
    },

    async reserve(_id, name, room, rev, at) {
      const update = { $set: { [`reserved.${name}`]: { ...room, at } }, $inc: { rev: 1 } };
      return (await rows.updateOne({ _id, rev }, update)).matchedCount === 1;
    },

    keep: async (_id, name, room, at) =>
      void (await rows.updateOne({ _id }, { $set: { [`reserved.${name}`]: { ...room, at } }, $inc: { rev: 1 } })),

    async renew(_id, name, at) {
      const update = { $set: { [`reserved.${name}.at`]: at }, $inc: { rev: 1 } };
      return (await rows.updateOne({ _id, [`reserved.${name}`]: { $exists: true } }, update)).matchedCount === 1;
    },

    release: async (_id, name) => void (await rows.updateOne({ _id }, { $unset: { [`reserved.${name}`]: '' }, $inc: { rev: 1 } })),
  };
}
