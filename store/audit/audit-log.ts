import { randomBytes } from 'node:crypto';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { present } from '../../runtime/invariant.ts';
import { RecentCache } from '../../runtime/recent-cache.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, isUnreadable, type Store } from '../port.ts';
import { anchorMac, type ChainHead, chained, erasedMark, isHead, isSame, isWritten, NO_HEAD, personHash, personOf } from './chain.ts';
import { type AuditFault, ChainCheck, type Found } from './check-chain.ts';
import type { AuditDraft, AuditRow } from './entry.ts';
import { logHeadsIn, type StoredHead } from './log-heads.ts';

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly since?: number;
  readonly until?: number;
}

export interface AuditPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export interface AuditVerdict {
  readonly ok: boolean;
  readonly from_seq: number;
  readonly to_seq: number;
  readonly first_bad_seq: number | null;
  readonly faults?: readonly AuditFault[];
}

export interface AuditLog {
  /** Call this before storing the tenant, because a tenant without a log is reported as a fault. */
  begin(tenantId: string): Promise<void>;
  append(draft: AuditDraft): Promise<void>;
  appendAll(tenantId: string, drafts: readonly AuditDraft[]): Promise<void>;
  list(tenantId: string, filter: AuditFilter, page: AuditPage): AsyncIterable<AuditRow>;
  byOperators(filter: AuditFilter, page: AuditPage): AsyncIterable<AuditRow>;
  all(tenantId: string): AsyncIterable<AuditRow>;
  after(tenantId: string, seq: number, limit: number): Promise<AuditRow[]>;
  /** Reports only entries stored by this node. `listener` must not throw. */
  onAppended(listener: (tenantId: string, action: string) => void): void;
  head(tenantId: string): Promise<ChainHead>;
  verify(tenantId: string, published?: readonly ChainHead[]): Promise<AuditVerdict>;
  erasePerson(tenantId: string, subjects: readonly string[], until: number): Promise<number>;
  cut(tenantId: string, cutoff: number, limit: number): Promise<number>;
  count(ids: readonly string[]): Promise<number>;
  removeAll(tenantId: string): Promise<number>;
  forget(tenantId: string): Promise<void>;
  known(): Promise<ReadonlySet<string>>;
  tenantsSince(since: number): Promise<readonly string[]>;
}

interface AnchorRow extends ChainHead {
  readonly _id: string;
  readonly signature: string;
}

export const auditSpec: CollectionSpec = {
  name: 'audit',
  indexes: [
    { name: 'chain', keys: { tenant_id: 1, seq: 1 }, unique: true },
    { name: 'newest', keys: { tenant_id: 1, at: -1, _id: -1 } },
    { name: 'by_action', keys: { tenant_id: 1, action: 1, at: -1, _id: -1 } },
    { name: 'by_actor', keys: { tenant_id: 1, actor_id: 1, at: -1, _id: -1 } },
    { name: 'by_actor_kind', keys: { tenant_id: 1, actor_kind: 1, at: -1, _id: -1 } },
    { name: 'by_target', keys: { tenant_id: 1, target_id: 1, at: -1, _id: -1 } },
    { name: 'of_operators', keys: { actor_kind: 1, at: -1, _id: -1 }, where: { actor_kind: 'operator' } },
    { name: 'by_time', keys: { at: 1 } },
  ],
};

const SLICE = 100;
const TENANT_SLICE = 500;

const REMEMBERED = 5_000;

const NUMBER = { tenant_id: 1, seq: 1 } as const;

const KINDS = ['owner', 'agent', 'key', 'operator', 'system'];

/** `key` signs every log and is kept outside the store. */
export function auditLogIn(store: Store, key: Buffer): AuditLog {
  const rows: Collection<AuditRow> = store.collection<AuditRow>(auditSpec);
  const anchors: Collection<AnchorRow> = store.collection<AnchorRow>({ name: 'audit_anchors', indexes: [] });
  const heads = logHeadsIn(store, key);
  /** The heads that this node wrote. They reveal if someone restores an older head in the store. */
  const written = new RecentCache<string, ChainHead>(REMEMBERED);
  const listeners: ((tenantId: string, action: string) => void)[] = [];
  const appending = new Map<string, Promise<unknown>>();

  async function anchorOf(tenantId: string): Promise<{ head: ChainHead; isSound: boolean }> {
    const anchor = await readable(anchors.findOne({ _id: tenantId }));
    if (anchor === null) return { head: NO_HEAD, isSound: true };
    const isSound = anchor !== undefined && isHead(anchor) && isSame(anchor.signature, anchorMac(key, tenantId, anchor));
    return isSound ? { head: anchor, isSound } : { head: NO_HEAD, isSound };
  }

  async function headOf(tenant_id: string): Promise<ChainHead> {
    const [last] = (await readable(rows.find({ tenant_id }, { sort: { seq: -1 }, limit: 1 }).toArray())) ?? (await lastOf(tenant_id));
    return last ?? (await anchorOf(tenant_id)).head;
  }

  /** If the last entry is unreadable, the next entry still gets the number after it. */
  async function lastOf(tenant_id: string): Promise<readonly ChainHead[]> {
    const options = { projection: NUMBER, sort: { seq: -1 }, limit: 1 } as const;
    return (await rows.find({ tenant_id }, options).toArray()).map(({ seq }) => ({ seq, mac: '' }));
  }

  async function moveHead(tenantId: string, before: ChainHead, head: ChainHead): Promise<void> {
    written.set(tenantId, head);
    await (async () => (await heads.move(tenantId, before, head)) || catchUp(tenantId, head))().catch(() => {});
  }

  /** Advances a head that is behind after a crash or another node's write, unless the log was truncated. */
  async function catchUp(tenant_id: string, head: ChainHead): Promise<unknown> {
    const stored = await heads.find(tenant_id);
    if (!stored?.isSound || stored.isRemoved || stored.head.seq >= head.seq) return;
    const { seq, mac } = stored.head;
    const isThere = seq === 0 || (await anchorOf(tenant_id)).head.seq >= seq || (await rows.findOne({ tenant_id, seq }))?.mac === mac;
    return isThere && heads.move(tenant_id, stored.head, head);
  }

  async function append(draft: AuditDraft): Promise<void> {
    const { tenant_id } = draft;
    for (;;) {
      const head = await headOf(tenant_id);
      const row = chained(key, draft, head, randomBytes(32).toString('hex'));
      try {
        await rows.insertOne(row);
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        if ((await rows.countDocuments({ _id: draft.id }, { limit: 1 })) > 0) return;
        // Another node has stored an entry with this number, so this entry gets the next number.
        continue;
      }
      void moveHead(tenant_id, head, row);
      for (const listener of listeners) listener(tenant_id, draft.action);
      return;
    }
  }

  async function appendAll(tenantId: string, drafts: readonly AuditDraft[]): Promise<void> {
    for (;;) {
      const there = await rows.find({ _id: { $in: drafts.map(({ id }) => id) } }).toArray();
      const known = new Set(there.map(({ _id }) => _id));
      const before = await headOf(tenantId);
      let head = before;
      const chain = drafts
        .filter(({ id }) => !known.has(id))
        .map((draft) => {
          const row = chained(key, draft, head, randomBytes(32).toString('hex'));
          head = row;
          return row;
        });
      try {
        if (chain.length > 0) {
          await rows.insertMany(chain);
          void moveHead(tenantId, before, head);
        }
        for (const { action } of drafts) for (const listener of listeners) listener(tenantId, action);
        return;
      } catch (cause) {
        // Another node has used one of these numbers, so the entries from that number on are
        // renumbered.
        if (!isDuplicateKey(cause)) throw cause;
      }
    }
  }

  function inTurn(tenantId: string, work: () => Promise<void>): Promise<void> {
    const turn = (appending.get(tenantId) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {}).finally(() => appending.get(tenantId) === settled && appending.delete(tenantId));
    appending.set(tenantId, settled);
    return turn;
  }

  const hashesOf = (tenantId: string, target: string): readonly string[] => {
    const person = personOf({ kind: 'person', id: target });
    return person === null ? [] : [personHash(key, tenantId, person)];
  };

  const filterOf = (tenant_id: string | null, { actor, action, target, since, until }: AuditFilter): Filter => ({
    ...(tenant_id !== null && { tenant_id }),
    ...(actor !== undefined && (KINDS.includes(actor) ? { actor_kind: actor } : { actor_id: actor })),
    ...(action !== undefined && { action }),
    ...(target !== undefined && {
      target_id: { $in: tenant_id === null ? [target] : [target, ...hashesOf(tenant_id, target)] },
    }),
    ...((since !== undefined || until !== undefined) && {
      at: { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lte: until }) },
    }),
  });

  const after = (tenant_id: string, seq: number, limit: number): Promise<AuditRow[]> =>
    rows.find({ tenant_id, seq: { $gt: seq } }, { sort: { seq: 1 }, limit }).toArray();

  async function* page(filter: Filter, { limit, before, beforeId }: AuditPage): AsyncGenerator<AuditRow> {
    const newest = { sort: { at: -1, _id: -1 }, limit } as const;
    const all = await readable(rows.find({ $and: [filter, olderThan(before, beforeId)] }, newest).toArray());
    if (all) return yield* all;
    let [left, place] = [limit, { at: before, _id: beforeId }];
    for (;;) {
      // Reads only the positions, which the embedded store keeps in columns outside the documents.
      const from = { $and: [filter, olderThan(place.at, place._id)] };
      const places = await rows.find(from, { ...newest, projection: { at: 1 } }).toArray();
      for (const { _id, at } of places) {
        const row = left > 0 ? await readable(rows.findOne({ _id })) : null;
        if (row?.at !== at) continue;
        yield row;
        left -= 1;
      }
      const last = places.at(-1);
      if (!last || left === 0 || places.length < limit) return;
      place = last;
    }
  }

  /** Yields all entries in slices, because a log may be long. Includes unreadable entries. */
  async function* found(tenantId: string, seq: number): AsyncGenerator<Found> {
    for (let last: number | undefined = seq; last !== undefined; ) {
      const from: number = last;
      const slice = await fairSlices.run(tenantId, () => sliceAt(tenantId, from));
      yield* slice;
      last = slice.length === SLICE ? slice.at(-1)?.seq : undefined;
    }
  }

  async function sliceAt(tenant_id: string, from: number): Promise<readonly Found[]> {
    const slice = await readable(after(tenant_id, from, SLICE));
    if (slice?.every(({ seq }, nth) => seq === from + nth + 1)) return slice.map((row) => ({ seq: row.seq, row }));
    const numbers = await rows.find({ tenant_id, seq: { $gt: from } }, { projection: NUMBER, sort: { seq: 1 }, limit: SLICE }).toArray();
    return Promise.all(numbers.map(async ({ seq }) => ({ seq, row: (await readable(rows.findOne({ tenant_id, seq }))) ?? null })));
  }

  /** After a fault, reads the heads and the anchor again, because entries may have just been removed. */
  async function verify(tenantId: string, published: readonly ChainHead[] = []): Promise<AuditVerdict> {
    const own = written.get(tenantId);
    const stored = await heads.find(tenantId);
    const anchor = await anchorOf(tenantId);
    const from_seq = anchor.head.seq + 1;
    const witnesses = [stored?.isSound ? stored.head : NO_HEAD, own ?? NO_HEAD, ...published];
    const check = new ChainCheck(key, anchor.isSound ? anchor.head : null, witnesses);
    if (stored?.isRemoved) return verdictOf(check, from_seq);
    if (!anchor.isSound) check.note(from_seq, 'anchor_changed');
    for await (const one of found(tenantId, anchor.head.seq)) check.take(one);
    check.end(stored);
    if (check.faults.length === 0) return verdictOf(check, from_seq);
    const [storedNow, anchorNow] = await Promise.all([heads.find(tenantId), anchorOf(tenantId)]);
    const isOvertaken = anchorNow.head.seq !== anchor.head.seq || isGone(storedNow) !== isGone(stored);
    return isOvertaken ? verify(tenantId, published) : verdictOf(check, from_seq);
  }

  return {
    begin: heads.begin,
    append: (draft) => inTurn(draft.tenant_id, () => append(draft)),
    appendAll: (tenantId, drafts) => inTurn(tenantId, () => appendAll(tenantId, drafts)),

    list: (tenantId, filter, asked) => page(filterOf(tenantId, filter), asked),
    byOperators: (filter, asked) => page({ ...filterOf(null, filter), actor_kind: 'operator' }, asked),
    after,
    onAppended: (listener) => void listeners.push(listener),
    head: headOf,

    async *all(tenant_id) {
      const { head } = await anchorOf(tenant_id);
      for await (const { row } of found(tenant_id, head.seq)) if (row) yield row;
    },

    verify,

    async erasePerson(tenant_id, subjects, until) {
      const target_id = { $in: subjects.map((subject) => personHash(key, tenant_id, subject)) };
      let count = 0;
      for await (const row of rows.find({ tenant_id, target_id, at: { $lte: until } })) {
        const mark = row.detail !== undefined && isWritten(key, row) ? { $set: { erased: erasedMark(key, row) } } : {};
        // Removes the detail and sets the mark in one write. If a crash separated them, it would
        // look as if someone had removed the detail.
        await rows.updateOne({ _id: row._id }, { $unset: { detail: 1 }, ...mark });
        count += 1;
      }
      return count;
    },

    async cut(tenant_id, cutoff, limit) {
      const { head } = await anchorOf(tenant_id);
      let removed = (await rows.deleteMany({ tenant_id, seq: { $lte: head.seq } })).deletedCount;
      const oldest = await rows.find({ tenant_id, seq: { $gt: head.seq } }, { sort: { seq: 1 }, limit }).toArray();
      const young = oldest.findIndex((row) => row.at >= cutoff && isWritten(key, row));
      // Entries with a tampered time are not removed.
      const last = (young === -1 ? oldest : oldest.slice(0, young)).findLast((row) => isWritten(key, row));
      if (!last) return removed;
      const { seq, mac } = last;
      const signature = anchorMac(key, tenant_id, last);
      // Does nothing if another node has already removed more entries. An older anchor would point
      // to entries that no longer exist.
      await upsertWhere(anchors, { _id: tenant_id, seq: { $lt: seq } }, { $set: { seq, mac, signature } });
      removed += (await rows.deleteMany({ tenant_id, seq: { $lte: seq } })).deletedCount;
      return removed;
    },

    count: (ids) => rows.countDocuments({ _id: { $in: ids } }),

    async removeAll(tenant_id) {
      // Marks the head first, because after a crash the log would otherwise look as if someone had
      // truncated it.
      await heads.markRemoved(tenant_id);
      written.delete(tenant_id);
      await anchors.deleteOne({ _id: tenant_id });
      return (await rows.deleteMany({ tenant_id })).deletedCount;
    },
    forget: heads.remove,

    async known() {
      const anchored = await anchors.find({}, { projection: { _id: 1 } }).toArray();
      return new Set([...(await tenantsSince(0)), ...(await heads.tenants()), ...anchored.map(({ _id }) => _id)]);
    },

    tenantsSince,
  };

  async function tenantsSince(since: number): Promise<readonly string[]> {
    const tenants = new Set<string>();
    let from = since;
    let limit = TENANT_SLICE;
    for (;;) {
      const options = { projection: { tenant_id: 1, at: 1 }, sort: { at: 1 }, limit } as const;
      const slice = await fairSlices.run('', () => rows.find({ at: { $gte: from } }, options).toArray());
      for (const { tenant_id } of slice) tenants.add(tenant_id);
      if (slice.length < limit) return [...tenants];
      const { at } = present(slice.at(-1), 'the last of a full slice');
      limit = at === from ? 2 * limit : TENANT_SLICE;
      from = at;
    }
  }
}

const isGone = (stored: StoredHead | null): boolean => stored === null || stored.isRemoved;

async function readable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (cause) {
    if (isUnreadable(cause)) return undefined;
    throw cause;
  }
}

function verdictOf({ faults, seq }: ChainCheck, from_seq: number): AuditVerdict {
  const is = { ok: faults.length === 0, from_seq, to_seq: seq };
  return is.ok ? { ...is, first_bad_seq: null } : { ...is, first_bad_seq: Math.min(...faults.map((one) => one.seq)), faults };
}

function olderThan(before: number | null, beforeId: string | null): Filter {
  if (before === null) return {};
  const older = { at: { $lt: before } };
  return beforeId === null ? older : { $or: [older, { at: before, _id: { $lt: beforeId } }] };
}
