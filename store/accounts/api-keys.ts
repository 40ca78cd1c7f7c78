import { keysOf } from '../../runtime/keys-of.ts';
import type { Page } from '../paging/page.ts';
import { olderThan } from '../paging/page.ts';
import { inPlace, insertPlaced, placesIndex } from '../patterns/places.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';

export type Scope = 'read' | 'send' | 'manage';

export interface KeyRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** Slot among the tenant's active keys (see patterns/places.ts); absent if revoked or expired. */
  readonly place?: number;
  readonly name: string;
  readonly prefix: string;
  readonly hash: string;
  readonly session_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  readonly allowed_ips: readonly string[] | null;
  /** The requested limit. The plan's cap is applied when the key is used. */
  readonly rate_limit_per_minute: number;
  readonly primary: boolean;
  readonly last_used_at: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export type KeyPatch = Partial<Pick<KeyRow, 'name' | 'session_ids' | 'scopes' | 'allowed_ips' | 'rate_limit_per_minute' | 'expires_at'>>;

export interface ApiKeys {
  createWithin(row: Omit<KeyRow, 'primary'>, limit: number, now: number): Promise<KeyRow | null>;
  list(tenantId: string, page: Page): AsyncIterable<KeyRow>;
  find(tenantId: string, id: string): Promise<KeyRow | null>;
  /**
   * Returns null if the key was revoked or changed, or `full` if it had expired and all slots are
   * taken.
   */
  edit(asRead: KeyRow, patch: KeyPatch, limit: number, now: number): Promise<KeyRow | 'full' | null>;
  /** Invalidates the old secret immediately. Returns null if the key was revoked or changed. */
  rotate(tenantId: string, id: string, secret: Pick<KeyRow, 'hash' | 'prefix'>): Promise<KeyRow | null>;
  revoke(tenantId: string, id: string, now: number): Promise<KeyRow | null>;
  /** Revokes a key whose creator never received it, even if it is the primary key. */
  discard(row: KeyRow, now: number): Promise<void>;
  byHash(hash: string): Promise<KeyRow | null>;
  liveOf(ids: readonly string[], now: number): Promise<readonly KeyRow[]>;
  touch(tenantId: string, id: string, now: number): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'api_keys',
  indexes: [
    { name: 'by_hash', keys: { hash: 1 }, unique: true },
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    placesIndex(),
    { name: 'one_primary', keys: { tenant_id: 1, primary: 1 }, unique: true, where: { primary: true } },
  ],
};

const AFTER = { returnDocument: 'after' } as const;
const sameIn = (asRead: KeyRow, patch: KeyPatch): Filter => ({
  _id: asRead._id,
  tenant_id: asRead.tenant_id,
  ...Object.fromEntries(keysOf(patch).map((field) => [field, { $eq: asRead[field] }])),
});
const liveAt = (now: number) => ({ revoked_at: null, $or: [{ expires_at: null }, { expires_at: { $gt: now } }] });

export function apiKeysIn(store: Store): ApiKeys {
  const keys: Collection<KeyRow> = store.collection<KeyRow>(spec);

  async function insert(row: KeyRow, limit: number, now: number): Promise<KeyRow | null> {
    return (await insertPlaced(keys, row, limit, liveAt(now))) ? row : null;
  }

  const freeExpired = (tenant_id: string, now: number): Promise<unknown> =>
    keys.updateMany({ tenant_id, place: { $gte: 0 }, expires_at: { $lte: now } }, { $unset: { place: 1 } });

  async function revive(asRead: KeyRow, patch: KeyPatch, limit: number, now: number): Promise<KeyRow | 'full' | null> {
    const { _id, tenant_id } = asRead;
    const unchanged = { ...sameIn(asRead, patch), revoked_at: null };
    if (!(await keys.findOne(unchanged))) return null;
    await freeExpired(tenant_id, now);
    const written = await inPlace(keys, { _id, among: { tenant_id, ...liveAt(now) } }, limit, async (place) => ({
      row: await keys.findOneAndUpdate(unchanged, { $set: { ...patch, place } }, AFTER),
    }));
    if (written) return written.row;
    // If another caller extended the key and took the last slot, the result is null.
    return (await keys.findOne(unchanged)) && 'full';
  }

  return {
    async createWithin(fields, limit, now) {
      const { tenant_id } = fields;
      await freeExpired(tenant_id, now);
      if (await keys.findOne({ tenant_id, primary: true })) return insert({ ...fields, primary: false }, limit, now);
      try {
        return await insert({ ...fields, primary: true }, limit, now);
      } catch (cause) {
        // Another caller created a first key at the same time, and that key is the primary one.
        if (!isDuplicateKey(cause)) throw cause;
        return insert({ ...fields, primary: false }, limit, now);
      }
    },

    list: (tenant_id, page) => keys.find({ tenant_id, ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit }),
    find: (tenant_id, _id) => keys.findOne({ _id, tenant_id }),
    async edit(asRead, patch, limit, now) {
      const { expires_at } = patch;
      const unchanged = sameIn(asRead, patch);
      const isRevival = expires_at === null || (expires_at !== undefined && expires_at > now);
      if (!isRevival) return keys.findOneAndUpdate({ ...unchanged, revoked_at: null }, { $set: patch }, AFTER);
      const edited = await keys.findOneAndUpdate({ ...unchanged, ...liveAt(now) }, { $set: patch }, AFTER);
      return edited ?? revive(asRead, patch, limit, now);
    },
    rotate: (tenant_id, _id, { hash, prefix }) =>
      keys.findOneAndUpdate({ _id, tenant_id, revoked_at: null }, { $set: { hash, prefix } }, { returnDocument: 'after' }),
    revoke: (tenant_id, _id, now) =>
      keys.findOneAndUpdate(
        { _id, tenant_id, primary: false, revoked_at: null },
        { $set: { revoked_at: now }, $unset: { place: 1 } },
        { returnDocument: 'after' },
      ),
    discard: async ({ _id, tenant_id }, now) =>
      void (await keys.updateOne({ _id, tenant_id }, { $set: { revoked_at: now, primary: false }, $unset: { place: 1 } })),
    byHash: (hash) => keys.findOne({ hash }),
    liveOf: async (ids, now) =>
      (await keys.find({ _id: { $in: ids }, revoked_at: null }).toArray()).filter(
        ({ expires_at }) => expires_at === null || expires_at > now,
      ),
    touch: async (tenant_id, _id, now) => void (await keys.updateOne({ _id, tenant_id }, { $set: { last_used_at: now } })),
  };
}
