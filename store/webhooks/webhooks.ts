import { insertPlaced, placesIndex } from '../patterns/places.ts';
import { whileUnchanged } from '../patterns/while-unchanged.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export const WEBHOOK_FORMATS = ['evolution', 'waha'] as const;
export type OtherFormat = (typeof WEBHOOK_FORMATS)[number];

export interface WebhookRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly url: string;
  readonly events: readonly string[];
  /** The other gateway whose event format the webhook uses. Absent for our own format. */
  readonly format?: OtherFormat;
  readonly session_id?: string;
  /** Used to sign each delivery, and for nothing else outside the store. */
  readonly secret: string;
  readonly created_at: number;
  readonly place?: number;
  readonly disabled_at: number | null;
  readonly retired?: { readonly secret: string; readonly until: number };
}

/** `secret` is null if it cannot be unsealed. Deliveries then cannot be signed. */
export type OpenedWebhook = WebhookRow | (Omit<WebhookRow, 'secret'> & { readonly secret: null });

export type WebhookPatch = Partial<Pick<WebhookRow, 'url' | 'events' | 'secret' | 'disabled_at' | 'retired'>>;

export interface Webhooks<Row = WebhookRow> {
  create(row: WebhookRow, limit: number): Promise<boolean>;
  list(tenantId: string): Promise<readonly Row[]>;
  find(tenantId: string, id: string): Promise<Row | null>;
  change(tenantId: string, id: string, patch: WebhookPatch): Promise<Row | null>;
  remove(tenantId: string, id: string): Promise<boolean>;
}

export const webhooksSpec: CollectionSpec = {
  name: 'webhooks',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } }, placesIndex()],
};

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
