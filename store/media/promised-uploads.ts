import type { Collection, CollectionSpec, Store } from '../port.ts';
import type { FileOwner } from './media.ts';

export interface PromisedUpload {
  readonly _id: string;
  readonly tenant_id: string;
  readonly upload: string;
  readonly filename: string;
  readonly owner: FileOwner;
  readonly size: number;
  readonly expires_at: number;
}

export interface PromisedUploads {
  add(row: PromisedUpload): Promise<void>;
  find(tenantId: string, key: string): Promise<PromisedUpload | null>;
  count(tenantId: string, limit: number): Promise<number>;
  of(tenantId: string, limit: number): Promise<PromisedUpload[]>;
  expired(until: number, limit: number): Promise<PromisedUpload[]>;
  remove(key: string): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'promised_uploads',
  indexes: [
    { name: 'expired', keys: { expires_at: 1 } },
    { name: 'of_tenant', keys: { tenant_id: 1 } },
  ],
};

export function promisedUploadsIn(store: Store): PromisedUploads {
  const uploads: Collection<PromisedUpload> = store.collection<PromisedUpload>(spec);
  return {
    add: async (row) => void (await uploads.insertOne(row)),
    find: (tenant_id, _id) => uploads.findOne({ _id, tenant_id }),
    count: (tenant_id, limit) => uploads.countDocuments({ tenant_id }, { limit }),
    of: (tenant_id, limit) => uploads.find({ tenant_id }, { limit }).toArray(),
    expired: (until, limit) => uploads.find({ expires_at: { $lte: until } }, { sort: { expires_at: 1 }, limit }).toArray(),
    remove: async (_id) => void (await uploads.deleteOne({ _id })),
  };
}
