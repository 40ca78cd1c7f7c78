import { randomBytes } from 'node:crypto';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { present } from '../../runtime/invariant.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import { anchorMac, type ChainHead, chained, follows, isSame, NO_HEAD, personHash } from './chain.ts';
import type { AuditDraft, AuditRow } from './entry.ts';

/** What narrows a list; all of it has to hold. Times are epoch ms. */
export interface AuditFilter {
  /** The id of who acted, or their kind. */
  readonly actor?: string;
  readonly action?: string;
  /** The id of what it was done to; of a person, the number. */
  readonly target?: string;
  readonly since?: number;
  readonly until?: number;
}

export interface AuditPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

/** What a check of a chain found. `first_bad_seq`: the first number at which the chain is not what was written; null: none. */
export interface AuditVerdict {
  readonly ok: boolean;
  readonly from_seq: number;
  readonly to_seq: number;
  readonly first_bad_seq: number | null;
}

/** The logs of all tenants, each a chain of its own. */
export interface AuditLog {
  /** Gives the act its place at the end of its log; one that is there already stays as it is. */
  append(draft: AuditDraft): Promise<void>;
  /** The same for several acts of one tenant, in their order, with one write. */
  appendAll(tenantId: string, drafts: readonly AuditDraft[]): Promise<void>;
  /** Newest first. */
  list(tenantId: string, filter: AuditFilter, page: AuditPage): AsyncIterable<AuditRow>;
  /** What operators did, in whichever log it stands. Newest first. */
  byOperators(filter: AuditFilter, page: AuditPage): AsyncIterable<AuditRow>;
  /** In the order of the chain. */
  all(tenantId: string): AsyncIterable<AuditRow>;
  /** Entries behind the number `seq`, in the order of the chain. */
  after(tenantId: string, seq: number, limit: number): Promise<AuditRow[]>;
  /** Learns of entries that this node wrote, once they are stored. Must not throw. */
  onAppended(listener: (tenantId: string, action: string) => void): void;
  head(tenantId: string): Promise<ChainHead>;
  verify(tenantId: string): Promise<AuditVerdict>;
  /** Forgets the names, addresses and values of what was done to this person up to `until`; the chain stays whole. Gives how many entries. */
  erasePerson(tenantId: string, phone: string, until: number): Promise<number>;
  /** Removes entries from before `cutoff`, oldest first, at most `limit`; the chain is checked from there on. Gives how many. */
  cut(tenantId: string, cutoff: number, limit: number): Promise<number>;
  /** How many of these entries are there. */
  count(ids: readonly string[]): Promise<number>;
  /** The log of a tenant that is gone; gives how many entries. */
  removeAll(tenantId: string): Promise<number>;
  /** Logs that have entries from `since` on. */
  tenantsSince(since: number): Promise<readonly string[]>;
}

interface AnchorRow extends ChainHead {
  /** The tenant. */
  readonly _id: string;
  readonly signature: string;
}

const spec: CollectionSpec = {
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

/** Entries that are read and checked in one turn. */
const SLICE = 100;
/** Entries read in one turn where only their tenant is asked for. */
const TENANT_SLICE = 500;

const KINDS = ['owner', 'agent', 'key', 'operator', 'system'];

/** `key` signs every chain, and is kept apart from the store. */
export function auditLogIn(store: Store, key: Buffer): AuditLog {
  const rows: Collection<AuditRow> = store.collection<AuditRow>(spec);
  const anchors: Collection<AnchorRow> = store.collection<AnchorRow>({ name: 'audit_anchors', indexes: [] });
  const listeners: ((tenantId: string, action: string) => void)[] = [];
  const appending = new Map<string, Promise<unknown>>();

  async function anchorOf(tenantId: string): Promise<{ head: ChainHead; isSound: boolean }> {
    const anchor = await anchors.findOne({ _id: tenantId });
    if (!anchor) return { head: NO_HEAD, isSound: true };
    return { head: anchor, isSound: isSame(anchor.signature, anchorMac(key, tenantId, anchor)) };
  }

  async function headOf(tenant_id: string): Promise<ChainHead> {
    const [last] = await rows.find({ tenant_id }, { sort: { seq: -1 }, limit: 1 }).toArray();
    return last ?? (await anchorOf(tenant_id)).head;
  }

  async function append(draft: AuditDraft): Promise<void> {
    for (;;) {
      if (await rows.findOne({ _id: draft.id })) return;
      const salt = randomBytes(32).toString('hex');
      try {
        await rows.insertOne(chained(key, draft, await headOf(draft.tenant_id), salt));
        for (const listener of listeners) listener(draft.tenant_id, draft.action);
        return;
      } catch (cause) {
        // Another node took that number: this entry comes after its.
        if (!isDuplicateKey(cause)) throw cause;
      }
    }
  }

  async function appendAll(tenantId: string, drafts: readonly AuditDraft[]): Promise<void> {
    for (;;) {
      const there = await rows.find({ _id: { $in: drafts.map(({ id }) => id) } }).toArray();
      const known = new Set(there.map(({ _id }) => _id));
      let head = await headOf(tenantId);
      const chain = drafts
        .filter(({ id }) => !known.has(id))
        .map((draft) => {
          const row = chained(key, draft, head, randomBytes(32).toString('hex'));
          head = row;
          return row;
        });
      try {
        if (chain.length > 0) await rows.insertMany(chain);
        for (const { action } of drafts) for (const listener of listeners) listener(tenantId, action);
        return;
      } catch (cause) {
        // Another node took one of the numbers: those before it are there, and the others come after its entry.
        if (!isDuplicateKey(cause)) throw cause;
      }
    }
  }

  /** One at a time for each tenant: of many at once all but one would have to try again. */
  function inTurn(tenantId: string, work: () => Promise<void>): Promise<void> {
    const turn = (appending.get(tenantId) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {}).finally(() => appending.get(tenantId) === settled && appending.delete(tenantId));
    appending.set(tenantId, settled);
    return turn;
  }

  const filterOf = (tenant_id: string | null, { actor, action, target, since, until }: AuditFilter): Filter => ({
    ...(tenant_id !== null && { tenant_id }),
    ...(actor !== undefined && (KINDS.includes(actor) ? { actor_kind: actor } : { actor_id: actor })),
    ...(action !== undefined && { action }),
    ...(target !== undefined && {
      target_id: tenant_id !== null && /^\d{8,15}$/.test(target) ? personHash(key, tenant_id, target) : target,
    }),
    ...((since !== undefined || until !== undefined) && {
      at: { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lte: until }) },
    }),
  });

  const after = (tenant_id: string, seq: number, limit: number): Promise<AuditRow[]> =>
    rows.find({ tenant_id, seq: { $gt: seq } }, { sort: { seq: 1 }, limit }).toArray();

  /** All entries behind the number `seq`, in slices: a chain may be long, and each entry of it is hashed. */
  async function* following(tenantId: string, seq: number): AsyncGenerator<AuditRow> {
    for (let last: number | undefined = seq; last !== undefined; ) {
      const from: number = last;
      const slice = await fairSlices.run(tenantId, () => after(tenantId, from, SLICE));
      yield* slice;
      last = slice.length === SLICE ? slice.at(-1)?.seq : undefined;
    }
  }

  const page = (filter: Filter, { limit, before, beforeId }: AuditPage): AsyncIterable<AuditRow> =>
    rows.find({ $and: [filter, olderThan(before, beforeId)] }, { sort: { at: -1, _id: -1 }, limit });

  async function verify(tenant_id: string): Promise<AuditVerdict> {
    const { head: anchor, isSound } = await anchorOf(tenant_id);
    const from_seq = anchor.seq + 1;
    if (!isSound) return { ok: false, from_seq, to_seq: anchor.seq, first_bad_seq: from_seq };
    let head = anchor;
    for await (const row of following(tenant_id, anchor.seq)) {
      if (!follows(key, head, row)) {
        // The oldest ones may have been cut off meanwhile.
        if ((await anchorOf(tenant_id)).head.seq > head.seq) return verify(tenant_id);
        return { ok: false, from_seq, to_seq: (await headOf(tenant_id)).seq, first_bad_seq: head.seq + 1 };
      }
      head = row;
    }
    return { ok: true, from_seq, to_seq: head.seq, first_bad_seq: null };
  }

  return {
    append: (draft) => inTurn(draft.tenant_id, () => append(draft)),
    appendAll: (tenantId, drafts) => inTurn(tenantId, () => appendAll(tenantId, drafts)),

    list: (tenantId, filter, asked) => page(filterOf(tenantId, filter), asked),
    byOperators: (filter, asked) => page({ ...filterOf(null, filter), actor_kind: 'operator' }, asked),
    after,
    onAppended: (listener) => void listeners.push(listener),
    head: headOf,

    async *all(tenant_id) {
      const { head } = await anchorOf(tenant_id);
      yield* following(tenant_id, head.seq);
    },

    verify,

    async erasePerson(tenant_id, phone, until) {
      const target_id = personHash(key, tenant_id, phone);
      return (await rows.updateMany({ tenant_id, target_id, at: { $lte: until } }, { $unset: { detail: 1 } })).matchedCount;
    },

    async cut(tenant_id, cutoff, limit) {
      const { head } = await anchorOf(tenant_id);
      // What an earlier cut, that was interrupted, anchored and left.
      let removed = (await rows.deleteMany({ tenant_id, seq: { $lte: head.seq } })).deletedCount;
      const oldest = await rows.find({ tenant_id, seq: { $gt: head.seq } }, { sort: { seq: 1 }, limit }).toArray();
      const young = oldest.findIndex(({ at }) => at >= cutoff);
      const last = (young === -1 ? oldest : oldest.slice(0, young)).at(-1);
      if (!last) return removed;
      const { seq, mac } = last;
      const signature = anchorMac(key, tenant_id, last);
      // Unless another node cut more meanwhile: an anchor that went back would stand before rows that are gone.
      await upsertWhere(anchors, { _id: tenant_id, seq: { $lt: seq } }, { $set: { seq, mac, signature } });
      removed += (await rows.deleteMany({ tenant_id, seq: { $lte: seq } })).deletedCount;
      return removed;
    },

    count: (ids) => rows.countDocuments({ _id: { $in: ids } }),

    async removeAll(tenant_id) {
      await anchors.deleteOne({ _id: tenant_id });
      return (await rows.deleteMany({ tenant_id })).deletedCount;
    },

    async tenantsSince(since) {
      const tenants = new Set<string>();
      let from = since;
      let limit = TENANT_SLICE;
      for (;;) {
        const options = { projection: { tenant_id: 1, at: 1 }, sort: { at: 1 }, limit } as const;
        const slice = await fairSlices.run('', () => rows.find({ at: { $gte: from } }, options).toArray());
        for (const { tenant_id } of slice) tenants.add(tenant_id);
        if (slice.length < limit) return [...tenants];
        const { at } = present(slice.at(-1), 'the last of a full slice');
        // A slice full of one moment cannot be continued behind it: a larger one is read.
        limit = at === from ? 2 * limit : TENANT_SLICE;
        from = at;
      }
    },
  };
}

function olderThan(before: number | null, beforeId: string | null): Filter {
  if (before === null) return {};
  const older = { at: { $lt: before } };
  return beforeId === null ? older : { $or: [older, { at: before, _id: { $lt: beforeId } }] };
}
