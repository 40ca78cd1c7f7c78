import { fairSlices } from '../../runtime/fair-slices.ts';
import { timeOfId, timePartOfId } from '../../runtime/ids.ts';
import { charsOf } from '../paging/page.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import { type EventRow, eventsSpec, UNPLACED } from './events.ts';

/** How far a reader has come: the last event that it has. */
export interface Position {
  readonly batch: number;
  readonly id: string;
}

export interface Reading {
  /** null: from the oldest that is kept. */
  readonly after: Position | null;
  /** Only of these devices; null: all, including events of the tenant as a whole. */
  readonly sessionIds: readonly string[] | null;
  readonly limit: number;
  readonly now: number;
}

/** What one step of a reader found. */
export interface EventPage {
  readonly rows: readonly EventRow[];
  /** Where the next step goes on; null: there are no events yet. */
  readonly place: Position | null;
  /** More may follow, even where nothing was found. */
  readonly isMore: boolean;
}

/**
 * The order in which events can be read to the end without missing one. An event's id is made before it is stored, so an event may appear
 * behind one that was read already: ids alone are no order to read by. So whoever reads first gives all events that are there and have no
 * place yet the next batch number of their tenant. A batch is decided by compare-and-set of one document that names its events, and the
 * batch after it is decided only when every event of it carries its number. So what comes up to a batch that was decided and carried out
 * never changes again, wherever the reader, the writer or their clocks are.
 */
export interface EventOrder {
  /** The next events after a place, in the order of their places. One step looks at a bounded part of the tenant's events. */
  read(tenantId: string, reading: Reading): Promise<EventPage>;
  /** Behind all events that are there. */
  end(tenantId: string): Promise<Position>;
  /** The place of an event; null: it is not kept, or never was this tenant's. */
  placeOf(tenantId: string, id: string): Promise<Position | null>;
}

/** The last batch that was decided for a tenant. */
interface HeadRow {
  readonly _id: string;
  readonly batch: number;
  readonly ids: readonly string[];
}

const spec: CollectionSpec = { name: 'event_heads', indexes: [] };
/** Of the events of one step together, but for the last one. */
const MAX_CHARS = 2 ** 19;
/** Events that are read and placed in one step: as many as the longest page has. */
const MAX_PLACED = 200;
/** Batches that a reader of some devices looks through in one step without asking how many events they hold. */
const MAX_BATCHES = 5;
/** Events of others that it passes over in one step, and the rest of their batch. */
const MAX_PASSED = MAX_BATCHES * MAX_PLACED;
const NOTHING_YET = { batch: UNPLACED, ids: [] } as const;
const IN_ORDER = { batch: 1, _id: 1 } as const;
const HOUR_MS = 3_600_000;
/** Sorts behind every id of an event, and is written like one. */
const BEHIND_ALL = `evt_${'Z'.repeat(26)}`;
/** The same with the hour of the reading in it: a reader that comes back learns whether events were forgotten meanwhile. */
const behindAll = (now: number): string => `evt_Z${timePartOfId(now - (now % HOUR_MS))}${'Z'.repeat(15)}`;
/** Such an id begins higher than the time of any event. */
const isBehindAll = (id: string): boolean => id.startsWith('evt_Z');

/** When this place was reached, or earlier by up to an hour, epoch ms; null: it does not tell. */
function readAt({ id }: Position): number | null {
  if (id === BEHIND_ALL) return null;
  return timeOfId(isBehindAll(id) ? `${id.slice(5, 15)}${'0'.repeat(16)}` : id.slice(4));
}

/** Whether events behind this place may have been forgotten unread, where they are kept for `keptMs`. */
export const mayHaveGap = (place: Position, keptMs: number, now: number): boolean => wasReadBefore(place, now - keptMs);

/** Whether this place may have been reached by then. */
export function wasReadBefore(place: Position, at: number): boolean {
  const reached = readAt(place);
  return reached !== null && reached <= at;
}

/** What one step has read: it ends at its limit, or with the event with which all have so many characters. */
class Step {
  readonly rows: EventRow[] = [];
  readonly #limit: number;
  #chars = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether it is at its end. */
  async take(found: AsyncIterable<EventRow>): Promise<boolean> {
    for await (const row of found) {
      this.rows.push(row);
      this.#chars += charsOf(row);
      if (this.rows.length === this.#limit || this.#chars >= MAX_CHARS) return true;
    }
    return false;
  }
}

export function eventOrderIn(store: Store): EventOrder {
  const events: Collection<EventRow> = store.collection<EventRow>(eventsSpec);
  const heads: Collection<HeadRow> = store.collection<HeadRow>(spec);

  const headOf = async (tenantId: string): Promise<Omit<HeadRow, '_id'>> => (await heads.findOne({ _id: tenantId })) ?? NOTHING_YET;

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

  /**
   * Gives the last batch up to which all events have their places, and whether more may be waiting for theirs. `known`: a batch that was decided
   * before. What was not found without a place has got it up to the head only if that is the same before and after the search.
   */
  async function settle(tenantId: string, known: number): Promise<{ readonly last: number; readonly isMore: boolean }> {
    for (let before = known; ; ) {
      const waiting = await events
        .find({ tenant_id: tenantId, batch: UNPLACED }, { sort: { _id: 1 }, limit: MAX_PLACED, projection: { _id: 1 } })
        .toArray();
      const head = await headOf(tenantId);
      if (head.batch !== before) {
        before = head.batch;
        continue;
      }
      const isMore = waiting.length === MAX_PLACED;
      if (waiting.length === 0) return { last: head.batch, isMore };
      await carryOut(tenantId, head);
      const decided = new Set(head.ids);
      const ids = waiting.map(({ _id }) => _id).filter((id) => !decided.has(id));
      if (ids.length === 0) return { last: head.batch, isMore };
      if (!(await decide(tenantId, head.batch, ids))) continue;
      await carryOut(tenantId, { batch: head.batch + 1, ids });
      return { last: head.batch + 1, isMore };
    }
  }

  /** The last batch that a reader behind batch `from` looks at in one step: most of what lies there may be of other devices than its own. */
  async function reach(tenant_id: string, from: number, last: number): Promise<number> {
    if (last - from <= MAX_BATCHES) return last;
    await fairSlices.turn(tenant_id);
    const behind = { tenant_id, batch: { $gt: from, $lte: last } };
    const [event] = await events.find(behind, { sort: IN_ORDER, skip: MAX_PASSED, limit: 1, projection: { batch: 1 } }).toArray();
    return event?.batch ?? last;
  }

  return {
    async read(tenant_id, { after, sessionIds, limit, now }) {
      const from = after?.batch ?? UNPLACED;
      const { last, isMore } = await settle(tenant_id, from);
      if (last < from || last === UNPLACED) return { rows: [], place: after, isMore };
      const end = sessionIds ? await reach(tenant_id, from, last) : last;
      const wanted = { tenant_id, expires_at: { $gt: now }, ...(sessionIds && { session_id: { $in: sessionIds } }) };
      const step = new Step(limit);
      const isFull = (filter: object): Promise<boolean> =>
        step.take(events.find({ ...wanted, ...filter }, { sort: IN_ORDER, limit: limit - step.rows.length }));
      const isInside = after !== null && !isBehindAll(after.id);
      const isCut =
        (isInside && (await isFull({ batch: from, _id: { $gt: after.id } }))) ||
        (from < end && (await isFull({ batch: { $gt: from, $lte: end } })));
      const { rows } = step;
      const lastRow = isCut && rows.at(-1);
      if (lastRow) return { rows, place: { batch: lastRow.batch, id: lastRow._id }, isMore: true };
      return { rows, place: { batch: end, id: behindAll(now) }, isMore: isMore || end < last };
    },

    async end(tenantId) {
      for (;;) {
        const { batch } = await headOf(tenantId);
        const { last, isMore } = await settle(tenantId, batch);
        if (!isMore) return { batch: last, id: BEHIND_ALL };
      }
    },

    async placeOf(tenant_id, id) {
      for (;;) {
        const event = await events.findOne({ _id: id, tenant_id });
        if (event === null) return null;
        if (event.batch !== UNPLACED) return { batch: event.batch, id };
        await settle(tenant_id, UNPLACED);
      }
    },
  };
}
