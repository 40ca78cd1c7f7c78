/**
 * A complete reading order of events. An event's id is created before the event is stored, so an
 * event may appear after later ones were read, and ids alone do not give a safe order. Therefore
 * the first reader assigns the tenant's next batch number to all stored events that have no
 * position yet. A batch is decided by a compare-and-set of one document that names its events. The
 * next batch is decided only after all these events carry their number. So the events up to a
 * completed batch never change, whatever the reader, the writer or their clocks do.
 */

import { fairSlices } from '../../runtime/fair-slices.ts';
import { timeOfId, timePartOfId } from '../../runtime/ids.ts';
import { charsOf } from '../paging/page.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import { type EventRow, eventsSpec, UNPLACED } from './events.ts';

export interface Position {
  readonly batch: number;
  readonly id: string;
}

export interface Reading {
  readonly after: Position | null;
  readonly sessionIds: readonly string[] | null;
  readonly limit: number;
  readonly now: number;
}

export interface EventPage {
  readonly rows: readonly EventRow[];
  readonly place: Position | null;
  /** True if more events may follow, even if `rows` is empty. */
  readonly isMore: boolean;
}

export interface EventOrder {
  read(tenantId: string, reading: Reading): Promise<EventPage>;
  end(tenantId: string): Promise<Position>;
  placeOf(tenantId: string, id: string): Promise<Position | null>;
}

interface HeadRow {
  readonly _id: string;
  readonly batch: number;
  readonly ids: readonly string[];
}

const spec: CollectionSpec = { name: 'event_heads', indexes: [] };
const MAX_CHARS = 2 ** 19;
const MAX_PLACED = 200;
const MAX_BATCHES = 5;
const MAX_PASSED = MAX_BATCHES * MAX_PLACED;
const NOTHING_YET = { batch: UNPLACED, ids: [] } as const;
const IN_ORDER = { batch: 1, _id: 1 } as const;
const HOUR_MS = 3_600_000;
/** Sorts after every event id and has the same format. */
const BEHIND_ALL = `evt_${'Z'.repeat(26)}`;
/** Contains the hour of the read, so that a returning reader can tell whether events have expired. */
const behindAll = (now: number): string => `evt_Z${timePartOfId(now - (now % HOUR_MS))}${'Z'.repeat(15)}`;
const isBehindAll = (id: string): boolean => id.startsWith('evt_Z');

/** Returns the time when this position was reached, or up to an hour earlier; null if unknown. */
function readAt({ id }: Position): number | null {
  if (id === BEHIND_ALL) return null;
  return timeOfId(isBehindAll(id) ? `${id.slice(5, 15)}${'0'.repeat(16)}` : id.slice(4));
}

export const mayHaveGap = (place: Position, keptMs: number, now: number): boolean => wasReadBefore(place, now - keptMs);

export function wasReadBefore(place: Position, at: number): boolean {
  const reached = readAt(place);
  return reached !== null && reached <= at;
}

class Step {
  readonly rows: EventRow[] = [];
  readonly #limit: number;
  #chars = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

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

  /** Returns the end of a step. Steps are bounded, because most events may belong to other devices. */
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
