import type { TenantOwner } from './agenda.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from './collection.ts';
import type { Page } from './tenants.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** One event on its way to one webhook (api.md "Webhooks and live stream"). Times are epoch ms. */
export interface DeliveryRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event: string;
  /** Empty for the first delivery of an event to a webhook; its own id for one that somebody asked for again. */
  readonly asked: string;
  /** Sent as it stands on each attempt, so that a signature never covers other bytes. */
  readonly body: string;
  /** Attempts so far. */
  readonly attempt: number;
  readonly status: DeliveryStatus;
  /** Of the last attempt; null: no answer. */
  readonly response_status: number | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
  /** null: none follows. */
  readonly next_attempt_at: number | null;
  /** The owner of the tenant's actor that took it last. */
  readonly epoch: number;
  readonly created_at: number;
  readonly expires_at: number;
}

/** What an attempt changes. */
export type Attempted = Pick<DeliveryRow, 'status' | 'attempt' | 'response_status' | 'error' | 'duration_ms' | 'next_attempt_at'>;

export interface DeliveryFilter {
  readonly webhook_id?: string;
  readonly status?: DeliveryStatus;
  readonly event?: string;
}

/** What a webhook has waiting. */
export interface Taken {
  /** Due now, the longest due first. */
  readonly rows: readonly DeliveryRow[];
  /** Perhaps more is due. */
  readonly more: boolean;
  /** When the next is due that is not yet; null: none is known of. */
  readonly nextAt: number | null;
}

export interface Deliveries {
  /** Stores those that are not there yet; an event comes once to a webhook unless it is asked for. False: some were there. */
  add(rows: readonly DeliveryRow[]): Promise<boolean>;
  find(tenantId: string, id: string): Promise<DeliveryRow | null>;
  /** Newest first. */
  list(tenantId: string, filter: DeliveryFilter, page: Page): Promise<DeliveryRow[]>;
  /** Takes what is due for a webhook into the owner's hands: an older owner can record nothing of it any more. */
  take(owner: TenantOwner, webhookId: string, limit: number, now: number): Promise<Taken>;
  /** What came of an attempt; false: it is in other hands, or over. */
  attempted(owner: TenantOwner, id: string, result: Attempted): Promise<boolean>;
  /** Ends what waits for a webhook that is gone. */
  abandon(tenantId: string, webhookId: string, error: string): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'deliveries',
  indexes: [
    { name: 'once', keys: { event_id: 1, webhook_id: 1, asked: 1 }, unique: true },
    { name: 'due', keys: { webhook_id: 1, next_attempt_at: 1, _id: 1 }, where: { status: 'pending' } },
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'by_webhook', keys: { webhook_id: 1, created_at: -1, _id: -1 } },
  ],
  expires: 'expires_at',
};

export function deliveriesIn(store: Store): Deliveries {
  const deliveries: Collection<DeliveryRow> = store.collection<DeliveryRow>(spec);

  async function takeOver({ tenantId, epoch }: TenantOwner, rows: readonly DeliveryRow[]): Promise<readonly DeliveryRow[]> {
    const older = rows.filter((row) => row.epoch < epoch).map(({ _id }) => _id);
    if (older.length === 0) return rows.filter((row) => row.epoch === epoch);
    await deliveries.updateMany(
      { _id: { $in: older }, tenant_id: tenantId, status: 'pending', epoch: { $lt: epoch } },
      { $set: { epoch } },
    );
    const ours = await deliveries.find({ _id: { $in: older }, status: 'pending', epoch }).toArray();
    const taken = new Map(ours.map((row) => [row._id, row]));
    return rows.flatMap((row) => (row.epoch === epoch ? row : (taken.get(row._id) ?? [])));
  }

  return {
    async add(rows) {
      try {
        if (rows.length > 0) await deliveries.insertMany(rows, { ordered: false });
        return true;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return false;
      }
    },

    find: (tenant_id, _id) => deliveries.findOne({ _id, tenant_id }),

    list: (tenant_id, filter, page) =>
      deliveries
        .find({ tenant_id, ...given(filter), ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit })
        .toArray(),

    async take(owner, webhook_id, limit, now) {
      const found = await deliveries
        .find({ webhook_id, tenant_id: owner.tenantId, status: 'pending' }, { sort: { next_attempt_at: 1, _id: 1 }, limit })
        .toArray();
      const due = found.filter((row) => (row.next_attempt_at ?? 0) <= now);
      const later = found.find((row) => (row.next_attempt_at ?? 0) > now);
      return { rows: await takeOver(owner, due), more: due.length === limit, nextAt: later?.next_attempt_at ?? null };
    },

    async attempted({ tenantId, epoch }, _id, result) {
      const filter = { _id, tenant_id: tenantId, status: 'pending', epoch: { $lte: epoch } };
      return (await deliveries.updateOne(filter, { $set: result })).matchedCount === 1;
    },

    async abandon(tenant_id, webhook_id, error) {
      const update = { $set: { status: 'failed', error, next_attempt_at: null } };
      await deliveries.updateMany({ webhook_id, tenant_id, status: 'pending' }, update);
    },
  };
}

function given({ webhook_id, status, event }: DeliveryFilter): Filter {
  return {
    ...(webhook_id !== undefined && { webhook_id }),
    ...(status !== undefined && { status }),
    ...(event !== undefined && { event }),
  };
}

function olderThan({ before, beforeId }: Page): Filter {
  if (before === null) return {};
  return { $and: [{ created_at: { $lte: before } }, { $or: [{ created_at: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] }] };
}
