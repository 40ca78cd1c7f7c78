import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from './collection.ts';

export type ConsentStatus = 'opted_in' | 'opted_out';

/** How a consent was set (spec.md "Consent record"). */
export type ConsentSource = 'keyword' | 'dashboard' | 'import' | 'api' | 'privacy_erasure';

/** One change of a person's consent. `at` is epoch ms. */
export interface HistoryEntry {
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly at: number;
}

/** A change that is made, and whose history entry and event are perhaps not stored yet. */
export interface OwedEntry extends HistoryEntry {
  /** Which change of its record. */
  readonly seq: number;
  /** What it was before; null: nothing. */
  readonly was: ConsentStatus | null;
  /** What caused it, where the same cause may come again after a crash: the message that said it. */
  readonly cause?: string;
  /** The device that heard it. */
  readonly session_id?: string;
  /** It is to be confirmed to the person. */
  readonly confirm?: boolean;
}

/** What one person agreed to (spec.md "Consent record"). Times are epoch ms. */
export interface ConsentRow {
  /** `<tenant>:<who>`. */
  readonly _id: string;
  readonly tenant_id: string;
  /** The digits of their number, country code first; their hidden address (`…@lid`) as long as the number is unknown. */
  readonly who: string;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** Counts its changes: each is made to what was read, or not at all. */
  readonly seq: number;
  /** Changes that owe something (see `settled`). */
  readonly owed: readonly OwedEntry[];
  readonly owes: boolean;
  /** Confirmations sent since `since`: bounds what two machines can say to each other. */
  readonly confirmed: { readonly since: number; readonly count: number };
}

export interface ConsentFilter {
  readonly status?: ConsentStatus;
}

/** A page of a list, newest change first; `beforeId` is a `who`. */
export interface ConsentPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export interface Consents {
  /** What these people (numbers as digits, or hidden addresses) agreed to; who never said anything is not in it. One read, by key. */
  statusOf(tenantId: string, people: readonly string[]): Promise<ReadonlyMap<string, ConsentStatus>>;
  find(tenantId: string, who: string): Promise<ConsentRow | null>;
  list(tenantId: string, filter: ConsentFilter, page: ConsentPage): Promise<ConsentRow[]>;
  /** In the order of `who`, after `after` ('': from the first). */
  inOrder(tenantId: string, after: string, limit: number): Promise<ConsentRow[]>;
  summary(tenantId: string): Promise<Readonly<Record<ConsentStatus, number>>>;
  /** Newest first. */
  history(tenantId: string, who: string, limit: number): Promise<readonly HistoryEntry[]>;
  /** Did `cause` change this person's record before? */
  wasCausedBy(tenantId: string, who: string, cause: string): Promise<OwedEntry | null>;
  /**
   * Changes each of these people's records to what `decide` makes of it, and asks again where somebody else changed it meanwhile; null from
   * it: nothing to change. Gives the rows that changed, as they are now.
   */
  change(tenantId: string, people: readonly string[], decide: Decide): Promise<ConsentRow[]>;
  /** Removes a record unless it changed since; its history stays. */
  remove(row: ConsentRow): Promise<boolean>;
  /** Rows that owe something since before `until`, of all tenants. */
  owing(until: number, limit: number): Promise<ConsentRow[]>;
  /** Adds what these rows owe to the history, for good; adding it again changes nothing. */
  remember(rows: readonly ConsentRow[]): Promise<void>;
  /** All that these rows owed is done. */
  settled(rows: readonly ConsentRow[]): Promise<void>;
}

export type Decide = (who: string, row: ConsentRow | null) => Promise<ConsentRow | null> | ConsentRow | null;

interface HistoryRow extends OwedEntry {
  readonly _id: string;
  /** Its record. */
  readonly record: string;
}

const consentsSpec: CollectionSpec = {
  name: 'consents',
  indexes: [
    { name: 'newest', keys: { tenant_id: 1, updated_at: -1, who: -1 } },
    { name: 'by_status', keys: { tenant_id: 1, status: 1, updated_at: -1, who: -1 } },
    { name: 'owing', keys: { updated_at: 1 }, where: { owes: true } },
  ],
};
const historySpec: CollectionSpec = {
  name: 'consent_history',
  indexes: [
    { name: 'of_record', keys: { record: 1, seq: -1 } },
    { name: 'by_cause', keys: { record: 1, cause: 1 }, where: { cause: { $exists: true } } },
  ],
};

const AT_ONCE = 500;
const keyOf = (tenantId: string, who: string): string => `${tenantId}:${who}`;

export function consentsIn(store: Store): Consents {
  const consents: Collection<ConsentRow> = store.collection<ConsentRow>(consentsSpec);
  const past: Collection<HistoryRow> = store.collection<HistoryRow>(historySpec);

  const find = (tenantId: string, who: string): Promise<ConsentRow | null> => consents.findOne({ _id: keyOf(tenantId, who) });

  const read = (tenantId: string, people: readonly string[]): Promise<ConsentRow[]> =>
    consents.find({ _id: { $in: people.map((who) => keyOf(tenantId, who)) } }).toArray();

  /** Gives those that somebody else changed meanwhile. */
  async function update(pairs: readonly Pair[]): Promise<readonly Pair[]> {
    const matched = await Promise.all(
      pairs.map(({ row, next: { _id, ...fields } }) => consents.updateOne({ _id, seq: row?.seq ?? 0 }, { $set: fields })),
    );
    return pairs.filter((_pair, nth) => matched[nth]!.matchedCount === 0);
  }

  async function insert(pairs: readonly Pair[]): Promise<readonly Pair[]> {
    if (pairs.length === 0) return [];
    try {
      await consents.insertMany(
        pairs.map(({ next }) => next),
        { ordered: false },
      );
      return [];
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return missed(pairs);
    }
  }

  /** Of several that were inserted together, those that another caller's row was in the way of: a row of ours owes what only we know. */
  async function missed(pairs: readonly Pair[]): Promise<readonly Pair[]> {
    const { tenant_id } = pairs[0]!.next;
    const rows = await read(
      tenant_id,
      pairs.map(({ next }) => next.who),
    );
    const there = new Map(rows.map((row) => [row.who, JSON.stringify(sorted(row))]));
    return pairs.filter(({ next }) => there.get(next.who) !== JSON.stringify(sorted(next)));
  }

  async function changeSome(tenantId: string, people: readonly string[], decide: Decide): Promise<ConsentRow[]> {
    const changed: ConsentRow[] = [];
    for (let left = people; left.length > 0; ) {
      const rows = new Map((await read(tenantId, left)).map((row) => [row.who, row]));
      const pairs = await decided(left, rows, decide);
      const [updates, inserts] = [pairs.filter(({ row }) => row !== null), pairs.filter(({ row }) => row === null)];
      const lost = new Set([...(await update(updates)), ...(await insert(inserts))]);
      changed.push(...pairs.filter((pair) => !lost.has(pair)).map(({ next }) => next));
      left = [...lost].map(({ next }) => next.who);
    }
    return changed;
  }

  return {
    find,

    async statusOf(tenantId, people) {
      if (people.length === 1) {
        const row = await find(tenantId, people[0]!);
        return new Map(row ? [[row.who, row.status]] : []);
      }
      return new Map((await read(tenantId, people)).map(({ who, status }) => [who, status]));
    },

    list: (tenant_id, filter, page) =>
      consents.find({ tenant_id, ...filter, ...olderThan(page) }, { sort: { updated_at: -1, who: -1 }, limit: page.limit }).toArray(),

    inOrder: (tenantId, after, limit) =>
      consents.find({ _id: { $gt: keyOf(tenantId, after), $lt: `${tenantId};` } }, { sort: { _id: 1 }, limit }).toArray(),

    async summary(tenant_id) {
      const count = (status: ConsentStatus) => consents.countDocuments({ tenant_id, status });
      const [opted_in, opted_out] = await Promise.all([count('opted_in'), count('opted_out')]);
      return { opted_in, opted_out };
    },

    async history(tenantId, who, limit) {
      const record = keyOf(tenantId, who);
      // The record first: what it does not owe any more is in the history by then.
      const row = await find(tenantId, who);
      const stored = await past.find({ record }, { sort: { seq: -1 }, limit }).toArray();
      const all = new Map([...(row?.owed ?? []), ...stored].map((entry) => [entry.seq, entry]));
      return [...all.values()].toSorted((one, other) => other.seq - one.seq).slice(0, limit);
    },

    async wasCausedBy(tenantId, who, cause) {
      const row = await find(tenantId, who);
      return row?.owed.find((entry) => entry.cause === cause) ?? past.findOne({ record: keyOf(tenantId, who), cause });
    },

    async change(tenantId, people, decide) {
      const changed: ConsentRow[] = [];
      for (let from = 0; from < people.length; from += AT_ONCE)
        changed.push(...(await changeSome(tenantId, people.slice(from, from + AT_ONCE), decide)));
      return changed;
    },

    remove: async ({ _id, seq }) => (await consents.deleteOne({ _id, seq })).deletedCount === 1,

    owing: (until, limit) => consents.find({ owes: true, updated_at: { $lte: until } }, { sort: { updated_at: 1 }, limit }).toArray(),

    async remember(rows) {
      const entries = rows.flatMap(({ _id: record, owed }) => owed.map((entry) => ({ _id: `${record}#${entry.seq}`, record, ...entry })));
      if (entries.length === 0) return;
      try {
        await past.insertMany(entries, { ordered: false });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    settled: async (rows) =>
      void (await Promise.all(rows.map(({ _id, seq }) => consents.updateOne({ _id, seq }, { $set: { owed: [], owes: false } })))),
  };
}

interface Pair {
  readonly row: ConsentRow | null;
  readonly next: ConsentRow;
}

async function decided(people: readonly string[], rows: ReadonlyMap<string, ConsentRow>, decide: Decide): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const who of people) {
    const row = rows.get(who) ?? null;
    const next = await decide(who, row);
    if (next) pairs.push({ row, next });
  }
  return pairs;
}

const sorted = (row: ConsentRow): unknown => Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1));

function olderThan({ before, beforeId }: ConsentPage): Filter {
  if (before === null) return {};
  return {
    updated_at: { $lte: before },
    $or: [{ updated_at: { $lt: before } }, { who: { $lt: beforeId ?? '' } }],
  };
}
