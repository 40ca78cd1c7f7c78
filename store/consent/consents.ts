/**
 * People's consent records, in the collection `consents`, and their history, in `consent_history`.
 * A changed row carries its history entries and events in its outbox until they are stored, so that
 * a crash does not lose any. An erased person keeps an anonymous opt-out under a keyed hash.
 */

import { inChunks } from '../../runtime/in-chunks.ts';
import { at } from '../../runtime/invariant.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import { whileUnchanged } from '../patterns/while-unchanged.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import type { ConsentRow, ConsentStatus, HistoryEntry, OutboxEntry } from './consent-row.ts';

export interface ConsentFilter {
  readonly status?: ConsentStatus;
}

export interface ConsentPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export type OptOut = Pick<ConsentRow, 'subject' | 'updated_at' | 'source'>;

export interface Consents {
  statusOf(tenantId: string, people: readonly string[]): Promise<ReadonlyMap<string, ConsentStatus>>;
  find(tenantId: string, subject: string): Promise<ConsentRow | null>;
  list(tenantId: string, filter: ConsentFilter, page: ConsentPage): AsyncIterable<ConsentRow>;
  inOrder(tenantId: string, after: string, limit: number): Promise<ConsentRow[]>;
  /** People who opted out in this period and have not opted in again. Erasures do not count. */
  optedOutBetween(tenantId: string, since: number, until: number, limit: number): Promise<readonly OptOut[]>;
  summary(tenantId: string): Promise<Readonly<Record<ConsentStatus, number>>>;
  history(tenantId: string, subject: string, limit: number): Promise<readonly HistoryEntry[]>;
  wasCausedBy(tenantId: string, subject: string, cause: string): Promise<OutboxEntry | null>;
  change(tenantId: string, people: readonly string[], decide: Decide): Promise<ConsentRow[]>;
  liftedBy(tenantId: string, people: readonly string[], batch: string): Promise<number>;
  /** Replaces records with an anonymous opt-out for each number. A record newer than `until` is kept. */
  forget(tenantId: string, numbers: readonly string[], people: readonly string[], until: number): Promise<number>;
  /** Safe to call again. `row` must have an empty outbox; `takenAs` is the cause of the merged entry. */
  moveHistory(row: ConsentRow, to: string, takenAs: string): Promise<void>;
  remove(row: ConsentRow): Promise<boolean>;
  withOutbox(until: number, limit: number, withoutTenants: readonly string[]): Promise<ConsentRow[]>;
  remember(rows: readonly ConsentRow[]): Promise<void>;
  outboxProcessed(rows: readonly ConsentRow[]): Promise<void>;
}

export type Decide = (subject: string, row: ConsentRow | null) => Promise<ConsentRow | null> | ConsentRow | null;

interface HistoryRow extends OutboxEntry {
  readonly _id: string;
  readonly record: string;
  /** The record from which a merge moved the entry. `seq` is then a revision of that record. */
  readonly moved_from?: string;
}

export const consentsSpec: CollectionSpec = {
  name: 'consents',
  indexes: [
    { name: 'newest', keys: { tenant_id: 1, updated_at: -1, subject: -1 } },
    { name: 'by_status', keys: { tenant_id: 1, status: 1, updated_at: -1, subject: -1 } },
    { name: 'outbox', keys: { updated_at: 1 }, where: { outbox_pending: true } },
  ],
};
const historySpec: CollectionSpec = {
  name: 'consent_history',
  indexes: [
    { name: 'of_record', keys: { record: 1, at: -1, seq: -1 } },
    { name: 'by_cause', keys: { record: 1, cause: 1 }, where: { cause: { $exists: true } } },
  ],
};

const BATCH_SIZE = 50;
const keyOf = (tenantId: string, subject: string): string => `${tenantId}:${subject}`;

/** Prefix that sorts before all digits and letters, so that lists skip anonymous records. */
const NAMELESS = '#';
const AFTER_NAMELESS = '$';
const NAMED: Filter = { subject: { $gt: AFTER_NAMELESS } };
const namelessOf = (tenantId: string): Filter => ({ _id: { $gt: keyOf(tenantId, NAMELESS), $lt: keyOf(tenantId, AFTER_NAMELESS) } });
const TENANTS = 1_000;

export function consentsIn(store: Store, hashOf: (tenantId: string, subject: string) => string): Consents {
  const consents: Collection<ConsentRow> = store.collection<ConsentRow>(consentsSpec);
  const historyRows: Collection<HistoryRow> = store.collection<HistoryRow>(historySpec);

  const nameless = (tenantId: string, subject: string): string => `${NAMELESS}${hashOf(tenantId, subject)}`;
  const namelessKey = (tenantId: string, subject: string): string => keyOf(tenantId, nameless(tenantId, subject));

  const remembered = whileUnchanged<boolean>(store, consentsSpec, TENANTS);

  function mayHaveForgotten(tenantId: string): boolean | Promise<boolean> {
    if (!store.writesTo) return true;
    return remembered(tenantId, async () => (await consents.find(namelessOf(tenantId), { limit: 1 }).toArray()).length > 0);
  }

  async function read(tenantId: string, people: readonly string[]): Promise<ReadonlyMap<string, Kept>> {
    const own = people.map((subject) => keyOf(tenantId, subject));
    const forgotten = (await mayHaveForgotten(tenantId)) ? people.map((subject) => namelessKey(tenantId, subject)) : [];
    const rows = new Map((await consents.find({ _id: { $in: [...own, ...forgotten] } }).toArray()).map((row) => [row._id, row]));
    const kept = people.flatMap((subject, nth): [string, Kept][] => {
      const [_id, other] = [own[nth] ?? '', forgotten[nth] ?? ''];
      const [row, left] = [rows.get(_id), rows.get(other)];
      if (row) return [[subject, { row, isNameless: false }]];
      return left ? [[subject, { row: { ...left, _id, subject }, isNameless: true }]] : [];
    });
    return new Map(kept);
  }

  async function find(tenantId: string, subject: string): Promise<ConsentRow | null> {
    if (!(await mayHaveForgotten(tenantId))) return consents.findOne({ _id: keyOf(tenantId, subject) });
    return (await read(tenantId, [subject])).get(subject)?.row ?? null;
  }

  async function update(pairs: readonly Pair[]): Promise<readonly Pair[]> {
    const matched = await Promise.all(
      pairs.map(({ row, next: { _id, ...fields } }) => consents.updateOne({ _id, seq: row?.seq ?? 0 }, { $set: fields })),
    );
    return pairs.filter((_pair, nth) => at(matched, nth).matchedCount === 0);
  }

  async function insert(pairs: readonly Pair[]): Promise<readonly Pair[]> {
    const [first, ...others] = pairs;
    if (!first) return [];
    if (others.length === 0) return (await insertedOf(consents, [first.next])) === 1 ? [] : pairs;
    try {
      await consents.insertMany(
        pairs.map(({ next }) => next),
        { ordered: false },
      );
      return [];
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return missed(first.next.tenant_id, pairs);
    }
  }

  async function missed(tenantId: string, pairs: readonly Pair[]): Promise<readonly Pair[]> {
    const rows = await read(
      tenantId,
      pairs.map(({ next }) => next.subject),
    );
    const there = new Map([...rows].map(([subject, { row }]) => [subject, JSON.stringify(sorted(row))]));
    return pairs.filter(({ next }) => there.get(next.subject) !== JSON.stringify(sorted(next)));
  }

  async function changeSome(tenantId: string, people: readonly string[], decide: Decide): Promise<ConsentRow[]> {
    const changed: ConsentRow[] = [];
    for (let left = people; left.length > 0; ) {
      const pairs = await decided(left, await read(tenantId, left), decide);
      const [updates, inserts] = [pairs.filter(({ row }) => row !== null), pairs.filter(({ row }) => row === null)];
      const lost = new Set([...(await update(updates)), ...(await insert(inserts))]);
      changed.push(...pairs.filter((pair) => !lost.has(pair)).map(({ next }) => next));
      left = [...lost].map(({ next }) => next.subject);
    }
    return changed;
  }

  async function wasCausedBy(tenantId: string, subject: string, cause: string): Promise<OutboxEntry | null> {
    const row = await find(tenantId, subject);
    return row?.outbox.find((entry) => entry.cause === cause) ?? historyRows.findOne({ record: keyOf(tenantId, subject), cause });
  }

  return {
    find,

    async statusOf(tenantId, people) {
      const [only, ...others] = people;
      if (only !== undefined && others.length === 0) {
        const row = await find(tenantId, only);
        return new Map(row ? [[row.subject, row.status]] : []);
      }
      return new Map([...(await read(tenantId, people))].map(([subject, { row }]) => [subject, row.status]));
    },

    list: (tenant_id, filter, page) =>
      consents.find({ tenant_id, ...filter, $and: [NAMED, olderThan(page)] }, { sort: { updated_at: -1, subject: -1 }, limit: page.limit }),

    inOrder: (tenantId, after, limit) =>
      consents.find({ _id: { $gt: keyOf(tenantId, after || AFTER_NAMELESS), $lt: `${tenantId};` } }, { sort: { _id: 1 }, limit }).toArray(),

    async optedOutBetween(tenant_id, since, until, limit) {
      const changed = { tenant_id, status: 'opted_out', updated_at: { $gte: since, $lt: until } };
      const projection = { subject: 1, updated_at: 1, source: 1 } as const;
      const found = await consents.find(changed, { sort: { updated_at: -1, subject: -1 }, limit, projection }).toArray();
      return found.filter(({ source }) => source !== 'privacy_erasure');
    },

    async summary(tenant_id) {
      const count = (status: ConsentStatus) => consents.countDocuments({ tenant_id, status });
      // The index also counts the few anonymous opt-outs, so these are subtracted.
      const counts = [count('opted_in'), count('opted_out'), consents.countDocuments(namelessOf(tenant_id))] as const;
      const [opted_in, out, nameless] = await Promise.all(counts);
      return { opted_in, opted_out: Math.max(0, out - nameless) };
    },

    async history(tenantId, subject, limit) {
      const record = keyOf(tenantId, subject);
      // Reads the record first, because an entry that has left its outbox is then certain to be in
      // the history.
      const row = await find(tenantId, subject);
      const stored = await historyRows.find({ record }, { sort: { at: -1, seq: -1 }, limit }).toArray();
      const owed = (row?.outbox ?? []).map((entry) => historyRowOf(record, entry));
      const all = new Map([...owed, ...stored].map((entry) => [entry._id, entry]));
      return [...all.values()].toSorted((one, other) => other.at - one.at || other.seq - one.seq).slice(0, limit);
    },

    wasCausedBy,

    async change(tenantId, people, decide) {
      const changed: ConsentRow[] = [];
      for (const some of inChunks(people, BATCH_SIZE)) changed.push(...(await changeSome(tenantId, some, decide)));
      return changed;
    },

    async liftedBy(tenantId, people, batch) {
      if (people.length === 0) return 0;
      return consents.countDocuments({ _id: { $in: people.map((subject) => keyOf(tenantId, subject)) }, lifted_by: batch });
    },

    async forget(tenant_id, numbers, people, until) {
      const status = 'opted_out' as const;
      const times = { created_at: until, updated_at: until, seq: 1, outbox: [], outbox_pending: false };
      const rest = { confirmed: { since: 0, count: 0 }, lifted_by: null };
      for (const phone of numbers) {
        const row = { tenant_id, subject: nameless(tenant_id, phone), status, source: 'privacy_erasure', note: null };
        await consents.updateOne({ _id: namelessKey(tenant_id, phone) }, { $set: { ...row, ...times, ...rest } }, { upsert: true });
      }
      const records = people.map((subject) => keyOf(tenant_id, subject));
      await historyRows.deleteMany({ record: { $in: records }, at: { $lte: until } });
      return (await consents.deleteMany({ _id: { $in: records }, created_at: { $lte: until } })).deletedCount;
    },

    async moveHistory({ _id: from, tenant_id }, to, takenAs) {
      const record = keyOf(tenant_id, to);
      const isTaken = (await wasCausedBy(tenant_id, to, takenAs)) !== null;
      for (;;) {
        const entries = await historyRows.find({ record: from }, { sort: { at: -1, seq: -1 }, limit: BATCH_SIZE }).toArray();
        if (entries.length === 0) return;
        const own = entries.filter((entry) => !(isTaken && takenAs === movedId(entry)));
        await insertedOf(
          historyRows,
          own.map((entry) => ({ ...entry, _id: `${record}<${movedId(entry)}`, record, moved_from: entry.moved_from ?? from })),
        );
        await historyRows.deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } });
      }
    },

    remove: async ({ _id, seq }) => (await consents.deleteOne({ _id, seq })).deletedCount === 1,

    withOutbox(until, limit, withoutTenants) {
      const due = { outbox_pending: true, updated_at: { $lte: until }, tenant_id: { $nin: withoutTenants } };
      return consents.find(due, { sort: { updated_at: 1 }, limit }).toArray();
    },

    async remember(rows) {
      const entries = rows.flatMap(({ _id: record, outbox }) => outbox.map((entry) => historyRowOf(record, entry)));
      if (entries.length === 0) return;
      try {
        await historyRows.insertMany(entries, { ordered: false });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    outboxProcessed: async (rows) =>
      void (await Promise.all(
        rows.map(({ _id, seq }) => consents.updateOne({ _id, seq }, { $set: { outbox: [], outbox_pending: false } })),
      )),
  };
}

const historyRowOf = (record: string, entry: OutboxEntry): HistoryRow => ({ _id: `${record}#${entry.seq}`, record, ...entry });

const movedId = ({ record, moved_from = record, seq }: HistoryRow): string => `${moved_from}#${seq}`;

interface Pair {
  readonly row: ConsentRow | null;
  readonly next: ConsentRow;
}

interface Kept {
  readonly row: ConsentRow;
  readonly isNameless: boolean;
}

async function decided(people: readonly string[], rows: ReadonlyMap<string, Kept>, decide: Decide): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const subject of people) {
    const kept = rows.get(subject);
    const next = await decide(subject, kept?.row ?? null);
    if (next) pairs.push({ row: kept && !kept.isNameless ? kept.row : null, next });
  }
  return pairs;
}

const sorted = (row: ConsentRow): unknown => Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1));

function olderThan({ before, beforeId }: ConsentPage): Filter {
  if (before === null) return {};
  return {
    updated_at: { $lte: before },
    $or: [{ updated_at: { $lt: before } }, { subject: { $lt: beforeId ?? '' } }],
  };
}
