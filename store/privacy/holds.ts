import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface HoldRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly reason: string;
  readonly until: number;
  readonly created_at: number;
}

/** Used in place of a person's hash for a hold on the whole tenant. */
export const EVERYBODY = '*';

export interface Holds {
  /** Returns false if a hold with a later end already exists. */
  prolong(tenantId: string, whose: string, hold: Pick<HoldRow, 'reason' | 'until'>, now: number): Promise<boolean>;
  put(tenantId: string, whose: string, hold: Pick<HoldRow, 'reason' | 'until'>, now: number): Promise<void>;
  end(tenantId: string, whose: string): Promise<boolean>;
  /** Returns the person's hold or the tenant's, whichever ends later. */
  of(tenantId: string, phoneHash: string, now: number): Promise<HoldRow | null>;
  longest(tenantId: string, phoneHashes: readonly string[], now: number): Promise<HoldRow | null>;
  ofTenant(tenantId: string, now: number): Promise<HoldRow | null>;
  any(tenantId: string, now: number): Promise<HoldRow | null>;
  held(tenantId: string, now: number): Promise<ReadonlySet<string>>;
}

const spec: CollectionSpec = { name: 'privacy_holds', indexes: [{ name: 'by_tenant', keys: { tenant_id: 1 } }] };
const longestOf = (rows: readonly HoldRow[]): HoldRow | null => rows.toSorted((one, other) => other.until - one.until)[0] ?? null;
const idOf = (tenantId: string, whose: string): string => `${tenantId}:${whose}`;

export function holdsIn(store: Store): Holds {
  const holds: Collection<HoldRow> = store.collection<HoldRow>(spec);
  const among = (tenantId: string, whose: readonly string[], now: number): Promise<HoldRow[]> =>
    holds.find({ _id: { $in: whose.map((one) => idOf(tenantId, one)) }, until: { $gt: now } }).toArray();

  return {
    prolong: (tenant_id, whose, { reason, until }, created_at) =>
      upsertWhere(holds, { _id: idOf(tenant_id, whose), until: { $lte: until } }, { $set: { tenant_id, reason, until, created_at } }),
    async put(tenant_id, whose, { reason, until }, created_at) {
      await holds.updateOne({ _id: idOf(tenant_id, whose) }, { $set: { tenant_id, reason, until, created_at } }, { upsert: true });
    },
    end: async (tenantId, whose) => (await holds.deleteOne({ _id: idOf(tenantId, whose) })).deletedCount === 1,
    of: async (tenantId, phoneHash, now) => longestOf(await among(tenantId, [phoneHash, EVERYBODY], now)),
    longest: async (tenantId, phoneHashes, now) => longestOf(await among(tenantId, phoneHashes, now)),
    ofTenant: async (tenantId, now) => (await among(tenantId, [EVERYBODY], now))[0] ?? null,
    any: async (tenant_id, now) => longestOf(await holds.find({ tenant_id, until: { $gt: now } }).toArray()),
    async held(tenant_id, now) {
      const rows = await holds.find({ tenant_id, until: { $gt: now } }).toArray();
      return new Set(rows.map(({ _id }) => _id.slice(tenant_id.length + 1)).filter((whose) => whose !== EVERYBODY));
    },
  };
}
