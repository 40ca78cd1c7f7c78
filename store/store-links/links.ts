import { insertPlaced, placesIndex } from '../patterns/places.ts';
import { whileUnchanged } from '../patterns/while-unchanged.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export type Platform = 'platform_a' | 'platform_b';

export interface TemplateRow {
  readonly enabled: boolean;
  readonly text: string;
}

export type TemplateKind = 'order_created' | 'order_paid' | 'order_shipped' | 'abandoned_checkout';

/** The last webhook had an invalid signature, or the recent customers had no phone numbers. */
export type StoreError = 'bad_signature' | 'phones_hidden';

export interface StoreLinkRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly place?: number;
  readonly platform: Platform;
  readonly name: string;
  readonly session_id: string | null;
  readonly enabled: boolean;
  readonly secret: string | null;
  readonly former_secret: { readonly secret: string; readonly until: number } | null;
  readonly token: string;
  readonly token_hash: string;
  readonly templates: Readonly<Record<TemplateKind, TemplateRow>>;
  readonly abandoned_delay_min: number;
  readonly abandoned_only_marketing: boolean;
  readonly shop_domain: string | null;
  readonly last_event_at: number | null;
  readonly last_error: StoreError | null;
  /** Time when an unreadable webhook arrived, which may concern any purchase. */
  readonly unreadable_at: number | null;
  readonly created_at: number;
  readonly epoch: number;
  readonly node: string | null;
}

export type StoreLinkPatch = Partial<
  Pick<
    StoreLinkRow,
    'name' | 'session_id' | 'enabled' | 'secret' | 'former_secret' | 'templates' | 'abandoned_delay_min' | 'abandoned_only_marketing'
  >
>;

export interface StoreLinkOwner {
  readonly tenantId: string;
  readonly linkId: string;
  readonly epoch: number;
}

export interface StoreLinks {
  /** Returns false if the tenant already has `limit` links, or more from an earlier plan. */
  createWithin(row: StoreLinkRow, limit: number): Promise<boolean>;
  list(tenantId: string): Promise<StoreLinkRow[]>;
  count(tenantId: string): Promise<number>;
  find(tenantId: string, linkId: string): Promise<StoreLinkRow | null>;
  findByToken(tokenHash: string): Promise<StoreLinkRow | null>;
  change(tenantId: string, linkId: string, patch: StoreLinkPatch): Promise<StoreLinkRow | null>;
  remove(tenantId: string, linkId: string): Promise<boolean>;
  own(tenantId: string, linkId: string, node: string): Promise<StoreLinkRow | null>;
  noteEvent(owner: StoreLinkOwner, at: number, shopDomain: string | null, error: StoreError | null): Promise<boolean>;
  noteUnreadable(owner: StoreLinkOwner, at: number): Promise<boolean>;
  noteRefused(tenantId: string, linkId: string): Promise<void>;
}

export const storeLinksSpec: CollectionSpec = {
  name: 'store_links',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    placesIndex(),
    { name: 'token', keys: { token_hash: 1 }, unique: true },
  ],
  retired: ['slot'],
};

const AFTER = { returnDocument: 'after' } as const;
const REMEMBERED = 1_000;

export function storeLinksIn(store: Store): StoreLinks {
  const links: Collection<StoreLinkRow> = store.collection<StoreLinkRow>(storeLinksSpec);
  const remembered = whileUnchanged<StoreLinkRow | null>(store, storeLinksSpec, REMEMBERED);

  return {
    createWithin: (row, limit) => insertPlaced(links, row, limit),
    list: (tenant_id) => links.find({ tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray(),
    count: (tenant_id) => links.countDocuments({ tenant_id }),
    find: (tenant_id, _id) => links.findOne({ _id, tenant_id }),
    findByToken: (token_hash) => remembered(token_hash, () => links.findOne({ token_hash })),

    change(tenant_id, _id, patch) {
      if (Object.keys(patch).length === 0) return links.findOne({ _id, tenant_id });
      return links.findOneAndUpdate({ _id, tenant_id }, { $set: patch }, AFTER);
    },

    remove: async (tenant_id, _id) => (await links.deleteOne({ _id, tenant_id })).deletedCount === 1,
    own: (tenant_id, _id, node) => links.findOneAndUpdate({ _id, tenant_id }, { $inc: { epoch: 1 }, $set: { node } }, AFTER),

    async noteRefused(tenant_id, _id) {
      await links.updateOne({ _id, tenant_id, last_error: { $ne: 'bad_signature' } }, { $set: { last_error: 'bad_signature' } });
    },

    async noteUnreadable({ tenantId, linkId, epoch }, unreadable_at) {
      const update = { $set: { unreadable_at } };
      return (await links.updateOne({ _id: linkId, tenant_id: tenantId, epoch }, update)).matchedCount === 1;
    },

    async noteEvent({ tenantId, linkId, epoch }, last_event_at, shop_domain, last_error) {
      const update = { $set: { last_event_at, last_error, ...(shop_domain !== null && { shop_domain }) } };
      return (await links.updateOne({ _id: linkId, tenant_id: tenantId, epoch }, update)).matchedCount === 1;
    },
  };
}
