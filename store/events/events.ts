import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface EventRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string | null;
  readonly type: string;
  /** Identifies the changed row and the change. The same change always has the same value. */
  readonly row: string;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** True once deliveries are stored, or if no webhook subscribed when the event was recorded. */
  readonly fanned: boolean;
  readonly batch: number;
  readonly expires_at: number;
}

export const UNPLACED = 0;

export interface Events {
  /** Returns the new events. An event is identified by its `row` and `type`. */
  add(rows: readonly EventRow[]): Promise<readonly EventRow[]>;
  known(rows: readonly Pick<EventRow, 'row' | 'type'>[]): Promise<ReadonlySet<string>>;
  find(tenantId: string, id: string): Promise<EventRow | null>;
  unfanned(tenantId: string, limit: number): AsyncIterable<EventRow>;
  fanned(tenantId: string, ids: readonly string[]): Promise<void>;
}

export const eventsSpec: CollectionSpec = {
  name: 'events',
  indexes: [
    { name: 'once', keys: { row: 1, type: 1 }, unique: true },
    { name: 'in_order', keys: { tenant_id: 1, batch: 1, _id: 1 } },
    { name: 'unfanned', keys: { tenant_id: 1, _id: 1 }, where: { fanned: false } },
  ],
  expires: 'expires_at',
};

export const sameness = ({ row, type }: Pick<EventRow, 'row' | 'type'>): string => `${row} ${type}`;

export function eventsIn(store: Store): Events {
  const events: Collection<EventRow> = store.collection<EventRow>(eventsSpec);

  const stored = (rows: readonly Pick<EventRow, 'row'>[]): Promise<EventRow[]> =>
    events.find({ row: { $in: [...new Set(rows.map(({ row }) => row))] } }).toArray();

  return {
    async add(rows) {
      if (rows.length === 0) return [];
      try {
        await events.insertMany(rows, { ordered: false });
        return rows;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        const there = new Map((await stored(rows)).map((row) => [sameness(row), row._id]));
        if (rows.some((row) => !there.has(sameness(row)))) throw cause;
        return rows.filter((row) => there.get(sameness(row)) === row._id);
      }
    },

    known: async (rows) => new Set(rows.length === 0 ? [] : (await stored(rows)).map(sameness)),
    find: (tenant_id, _id) => events.findOne({ _id, tenant_id }),
    unfanned: (tenant_id, limit) => events.find({ tenant_id, fanned: false }, { sort: { _id: 1 }, limit }),
    fanned: async (tenant_id, ids) => void (await events.updateMany({ _id: { $in: ids }, tenant_id }, { $set: { fanned: true } })),
  };
}
