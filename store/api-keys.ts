import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from './collection.ts';

export type Scope = 'read' | 'send' | 'manage';

/** An API key as stored (api.md "API keys"): never the key, only its hash. Times are epoch ms. */
export interface KeyRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly name: string;
  /** The first characters, by which its owner tells it from others. */
  readonly prefix: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  /** The devices it may use; null: all. */
  readonly session_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  /** Addresses and CIDR ranges it may come from; null: any. */
  readonly allowed_ips: readonly string[] | null;
  /** As asked for; the plan caps it when it is used. */
  readonly rate_limit_per_minute: number;
  readonly primary: boolean;
  readonly last_used_at: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export type KeyPatch = Partial<Pick<KeyRow, 'name' | 'session_ids' | 'scopes' | 'allowed_ips' | 'rate_limit_per_minute' | 'expires_at'>>;

export interface ApiKeys {
  /** Stores a new key; the tenant's first becomes its primary one. */
  create(row: Omit<KeyRow, 'primary'>): Promise<KeyRow>;
  /** Newest first, revoked ones too. */
  list(tenantId: string): Promise<KeyRow[]>;
  find(tenantId: string, id: string): Promise<KeyRow | null>;
  /** null: no such key, or it is revoked. */
  edit(tenantId: string, id: string, patch: KeyPatch): Promise<KeyRow | null>;
  /** Another secret for the same key: the old one is void at once. null as for `edit`. */
  rotate(tenantId: string, id: string, secret: Pick<KeyRow, 'hash' | 'prefix'>): Promise<KeyRow | null>;
  /** Never the primary one; null: no such key, primary, or revoked before. */
  revoke(tenantId: string, id: string, now: number): Promise<KeyRow | null>;
  /** Whose key is this? The hash is the credential; there is no other way to a key without its tenant. */
  byHash(hash: string): Promise<KeyRow | null>;
  /** Those of these keys that can be used now, of whichever tenants. */
  liveOf(ids: readonly string[], now: number): Promise<readonly KeyRow[]>;
  touch(tenantId: string, id: string, now: number): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'api_keys',
  indexes: [
    { name: 'by_hash', keys: { hash: 1 }, unique: true },
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'one_primary', keys: { tenant_id: 1, primary: 1 }, unique: true, where: { primary: true } },
  ],
};

export function apiKeysIn(store: Store): ApiKeys {
  const keys: Collection<KeyRow> = store.collection<KeyRow>(spec);

  async function insert(row: KeyRow): Promise<KeyRow> {
    await keys.insertOne(row);
    return row;
  }

  return {
    async create(fields) {
      if (await keys.findOne({ tenant_id: fields.tenant_id, primary: true })) return insert({ ...fields, primary: false });
      try {
        return await insert({ ...fields, primary: true });
      } catch (cause) {
        // Two first keys at once: the other one is the primary.
        if (!isDuplicateKey(cause)) throw cause;
        return insert({ ...fields, primary: false });
      }
    },

    list: (tenant_id) => keys.find({ tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray(),
    find: (tenant_id, _id) => keys.findOne({ _id, tenant_id }),
    edit: (tenant_id, _id, patch) =>
      keys.findOneAndUpdate({ _id, tenant_id, revoked_at: null }, { $set: patch }, { returnDocument: 'after' }),
    rotate: (tenant_id, _id, { hash, prefix }) =>
      keys.findOneAndUpdate({ _id, tenant_id, revoked_at: null }, { $set: { hash, prefix } }, { returnDocument: 'after' }),
    revoke: (tenant_id, _id, now) =>
      keys.findOneAndUpdate(
        { _id, tenant_id, primary: false, revoked_at: null },
        { $set: { revoked_at: now } },
        { returnDocument: 'after' },
      ),
    byHash: (hash) => keys.findOne({ hash }),
    liveOf: async (ids, now) =>
      (await keys.find({ _id: { $in: ids }, revoked_at: null }).toArray()).filter(
        ({ expires_at }) => expires_at === null || expires_at > now,
      ),
    touch: async (tenant_id, _id, now) => void (await keys.updateOne({ _id, tenant_id }, { $set: { last_used_at: now } })),
  };
}
