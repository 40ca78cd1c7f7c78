import { insertPlaced, placesIndex } from '../patterns/places.ts';
import { whileUnchanged } from '../patterns/while-unchanged.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/** Where a tenant wants its events. Times are epoch ms. */
export interface WebhookRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly url: string;
  /** Event names. */
  readonly events: readonly string[];
  /** Signs each delivery; never leaves the store but for that. */
  readonly secret: string;
  readonly created_at: number;
  /** See patterns/places.ts. */
  readonly place?: number;
  /** Paused since; null: in use. */
  readonly disabled_at: number | null;
  /** The secret before this one, which still signs beside it for a while. */
  readonly retired?: { readonly secret: string; readonly until: number };
}

/** A webhook as it is used. `secret` null: it cannot be opened any more, so that nothing can be signed. */
export type OpenedWebhook = WebhookRow | (Omit<WebhookRow, 'secret'> & { readonly secret: null });

export type WebhookPatch = Partial<Pick<WebhookRow, 'url' | 'events' | 'secret' | 'disabled_at' | 'retired'>>;

export interface Webhooks<Row = WebhookRow> {
  /** Rejects nothing of its own: `row._id` is a fresh ULID. */
  /** False: the tenant has `limit` of them, however many are made at once. */
  create(row: WebhookRow, limit: number): Promise<boolean>;
  /** Newest first, paused ones too. */
  list(tenantId: string): Promise<readonly Row[]>;
  find(tenantId: string, id: string): Promise<Row | null>;
  /** Gives the row as it is now; null: no such webhook. */
  change(tenantId: string, id: string, patch: WebhookPatch): Promise<Row | null>;
  remove(tenantId: string, id: string): Promise<boolean>;
}

export const webhooksSpec: CollectionSpec = {
  name: 'webhooks',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } }, placesIndex()],
};

/** Whose webhooks are remembered while none changes: each change of a message asks for them. */
const TENANTS = 1_000;

export function webhooksIn(store: Store): Webhooks {
  const webhooks: Collection<WebhookRow> = store.collection<WebhookRow>(webhooksSpec);
  const remembered = whileUnchanged<readonly WebhookRow[]>(store, webhooksSpec, TENANTS);

  return {
    create: (row, limit) => insertPlaced(webhooks, row, limit),
    list: (tenant_id) => remembered(tenant_id, () => webhooks.find({ tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray()),
    find: (tenant_id, _id) => webhooks.findOne({ _id, tenant_id }),
    change(tenant_id, _id, patch) {
      if (Object.keys(patch).length === 0) return webhooks.findOne({ _id, tenant_id });
      return webhooks.findOneAndUpdate({ _id, tenant_id }, { $set: patch }, { returnDocument: 'after' });
    },
    remove: async (tenant_id, _id) => (await webhooks.deleteOne({ _id, tenant_id })).deletedCount === 1,
  };
}
