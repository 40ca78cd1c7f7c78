import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import type { TenantRow } from './tenants.ts';

/**
 * Businesses that have not yet entered the code that was sent to them. Their phone numbers are not
 * reserved.
 */
export interface SignUps {
  put(tenant: TenantRow, until: number): Promise<void>;
  find(phone: string): Promise<TenantRow | null>;
  remove(phone: string): Promise<void>;
}

interface SignUpRow {
  readonly _id: string;
  readonly tenant: TenantRow;
  readonly expires_at: number;
}

const spec: CollectionSpec = { name: 'sign_ups', indexes: [], expires: 'expires_at' };

export function signUpsIn(store: Store): SignUps {
  const signUps: Collection<SignUpRow> = store.collection<SignUpRow>(spec);

  return {
    put: async (tenant, expires_at) => void (await upsertWhere(signUps, { _id: tenant.phone }, { $set: { tenant, expires_at } })),
    find: async (_id) => (await signUps.findOne({ _id }))?.tenant ?? null,
    remove: async (_id) => void (await signUps.deleteOne({ _id })),
  };
}
