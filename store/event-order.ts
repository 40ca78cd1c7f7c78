import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from './collection.ts';
import { type EventRow, eventsSpec, UNPLACED } from './events.ts';

/** How far somebody has read: the last event that they have. */
export interface Place {
  readonly batch: number;
  readonly id: string;
}

export interface Reading {
  /** null: from the oldest that is kept. */
  readonly after: Place | null;
  /** Only of these devices; null: all, and what is of the tenant as a whole. */
  readonly sessionIds: readonly string[] | null;
  readonly limit: number;
  readonly now: number;
}

/**
 * The order in which events can be read to the end without missing one. An event's id is made before it is stored, so an event may appear
 * behind one that was read already: ids alone are no order to read by. So whoever reads first gives all events that are there and have no
 * place yet the next batch number of their tenant. A batch is decided by compare-and-set of one document that names its events, and the
 * batch after it is decided only when every event of it carries its number. So what comes up to a batch that was decided and carried out
 * never changes again, wherever the reader, the writer or their clocks are.
 */
export interface EventOrder {
  /** The next events after a place, in the order of their places. */
  read(tenantId: string, reading: Reading): Promise<EventRow[]>;
}

/** The last batch that was decided for a tenant. */
interface HeadRow {
  readonly _id: string;
  readonly batch: number;
  readonly ids: readonly string[];
}

const spec: CollectionSpec = { name: 'event_heads', indexes: [] };
const MOST_PLACED = 500;
const NOTHING_YET = { batch: UNPLACED, ids: [] } as const;

export function eventOrderIn(store: Store): EventOrder {
  const events: Collection<EventRow> = store.collection<EventRow>(eventsSpec);
  const heads: Collection<HeadRow> = store.collection<HeadRow>(spec);

  /** Idempotent: may be done by many, and again after a crash. */
  const carryOut = async (tenant_id: string, { batch, ids }: Omit<HeadRow, '_id'>): Promise<void> => {
    if (ids.length > 0) await events.updateMany({ _id: { $in: ids }, tenant_id, batch: UNPLACED }, { $set: { batch } });
  };

  async function decide(tenantId: string, from: number, ids: readonly string[]): Promise<boolean> {
    const batch = from + 1;
    if (from !== UNPLACED) return (await heads.updateOne({ _id: tenantId, batch: from }, { $set: { batch, ids } })).matchedCount === 1;
    try {
      await heads.insertOne({ _id: tenantId, batch, ids });
      return true;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return false;
    }
  }

  /** Gives the last batch up to which all events have their places. */
  async function settle(tenantId: string): Promise<number> {
    for (;;) {
      const head = (await heads.findOne({ _id: tenantId })) ?? NOTHING_YET;
      const waiting = await events.find({ tenant_id: tenantId, batch: UNPLACED }, { sort: { _id: 1 }, limit: MOST_PLACED }).toArray();
      if (waiting.length === 0) return head.batch;
      await carryOut(tenantId, head);
      const decided = new Set(head.ids);
      const ids = waiting.map(({ _id }) => _id).filter((id) => !decided.has(id));
      if (ids.length === 0) return head.batch;
      if (!(await decide(tenantId, head.batch, ids))) continue;
      await carryOut(tenantId, { batch: head.batch + 1, ids });
      return head.batch + 1;
    }
  }

  return {
    async read(tenant_id, { after, sessionIds, limit, now }) {
      const last = await settle(tenant_id);
      const wanted = { tenant_id, expires_at: { $gt: now }, ...(sessionIds && { session_id: { $in: sessionIds } }) };
      const page = (filter: object, most: number): Promise<EventRow[]> =>
        events.find({ ...wanted, ...filter }, { sort: { batch: 1, _id: 1 }, limit: most }).toArray();
      const rest = after && after.batch <= last ? await page({ batch: after.batch, _id: { $gt: after.id } }, limit) : [];
      if (rest.length === limit) return rest;
      return [...rest, ...(await page({ batch: { $gt: after?.batch ?? UNPLACED, $lte: last } }, limit - rest.length))];
    },
  };
}
