import type { Collection, CollectionSpec, Store } from '../port.ts';

interface UploadLinkRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly expires_at: number;
}

/** Upload URLs not listed here are rejected, even if their signature is valid. */
export interface OpenUploadLinks {
  add(row: UploadLinkRow): Promise<void>;
  has(tenantId: string, key: string): Promise<boolean>;
  remove(tenantId: string, key: string): Promise<void>;
}

const spec: CollectionSpec = { name: 'upload_links', indexes: [], expires: 'expires_at' };

export function openUploadLinksIn(store: Store): OpenUploadLinks {
  const links: Collection<UploadLinkRow> = store.collection<UploadLinkRow>(spec);
  return {
    add: async (row) => void (await links.insertOne(row)),
    has: async (tenant_id, _id) => (await links.findOne({ _id, tenant_id })) !== null,
    remove: async (tenant_id, _id) => void (await links.deleteOne({ _id, tenant_id })),
  };
}
