import { idFloor } from '../../runtime/derived-ids.ts';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { inChunks } from '../../runtime/in-chunks.ts';
import type { Page } from '../accounts/tenants.ts';
import { olderThan } from '../paging/page.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import type { TenantOwner } from '../scheduling/wakeups.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface DeliveryRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event: string;
  /** Empty for the first delivery of an event to a webhook. A redelivery has its own id here. */
  readonly asked: string;
  /** Sent unchanged with each attempt, so that a signature always covers the same bytes. */
  readonly body: string;
  readonly attempt: number;
  readonly attempts?: readonly DeliveryAttempt[];
  /** Number of attempts before the last redelivery request, at which the retry schedule restarts. */
  readonly asked_after?: number;
  readonly status: DeliveryStatus;
  readonly response_status: number | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly next_attempt_at: number | null;
  readonly epoch: number;
  readonly created_at: number;
  readonly expires_at: number;
}

export type WaitingDelivery = Omit<DeliveryRow, 'attempts'>;

export type DeliverySummary = Omit<DeliveryRow, 'body' | 'attempts'>;

export interface DeliveryAttempt {
  readonly at: number;
  readonly response_status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly body: string | null;
}

export type Attempted = Pick<DeliveryRow, 'status' | 'attempt' | 'response_status' | 'error' | 'duration_ms' | 'next_attempt_at'>;

export interface DeliveryFilter {
  readonly webhook_id?: string;
  readonly status?: 'failed';
}

export interface Room {
  readonly rows: number;
  readonly bytes: number;
  readonly except: readonly string[];
}

export interface Taken {
  readonly rows: readonly WaitingDelivery[];
  readonly more: boolean;
  readonly nextAt: number | null;
}

/** An event is delivered once to a webhook unless redelivery is requested. */
export interface Deliveries {
  add(rows: readonly DeliveryRow[]): Promise<boolean>;
  find(tenantId: string, id: string): Promise<DeliveryRow | null>;
  list(tenantId: string, filter: DeliveryFilter, page: Page): AsyncIterable<DeliverySummary>;
  attempts(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly DeliveryAttempt[]>>;
  /** Claims deliveries. An older owner can then no longer record results for them. */
  take(owner: TenantOwner, webhookId: string, room: Room, now: number): Promise<Taken>;
  /**
   * Returns when the next attempt is due, or null. The time is earlier if a redelivery may have
   * been requested.
   */
  attempted(owner: TenantOwner, row: WaitingDelivery, result: Attempted, attempt: DeliveryAttempt): Promise<number | null>;
  /** Makes the delivery due now. Returns false if another caller got there first. */
  again(row: DeliverySummary, now: number, expiresAt: number): Promise<boolean>;
  unhappy(tenantId: string, webhookId: string, since: number, afterId: string, limit: number): Promise<DeliverySummary[]>;
  backlog(most: number): Promise<number>;
  abandon(tenantId: string, webhookId: string, error: string): Promise<void>;
}

const MAX_ATTEMPTS_KEPT = 100;
const FIRST_READ = 16;
const WITHOUT_ATTEMPTS = { attempts: 0 } as const;
const SUMMARY = { ...WITHOUT_ATTEMPTS, body: 0 } as const;
/** Number of rows processed together. With a hundred attempts each, they take up 1.5 MB. */
const TOGETHER = 25;

function nextRead(rows: number, bytes: number, room: Pick<Room, 'rows' | 'bytes'>): number {
  const fitting = Math.ceil((room.bytes - bytes) / Math.max(1, bytes / rows));
  return Math.min(TOGETHER, fitting, room.rows - rows);
}

const spec: CollectionSpec = {
  name: 'deliveries',
  indexes: [
    { name: 'once', keys: { event_id: 1, webhook_id: 1, asked: 1 }, unique: true },
    { name: 'waiting', keys: { tenant_id: 1, webhook_id: 1, next_attempt_at: 1, _id: 1 }, where: { status: 'pending' } },
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'unhappy', keys: { webhook_id: 1, _id: 1 }, where: { error: { $gte: '' } } },
    { name: 'of_webhook', keys: { tenant_id: 1, webhook_id: 1, created_at: -1, _id: -1 } },
    { name: 'failed', keys: { tenant_id: 1, created_at: -1, _id: -1 }, where: { status: 'failed' } },
    { name: 'failed_of_webhook', keys: { tenant_id: 1, webhook_id: 1, created_at: -1, _id: -1 }, where: { status: 'failed' } },
  ],
  retired: ['in_order', 'due'],
  expires: 'expires_at',
};

export function deliveriesIn(store: Store): Deliveries {
  const deliveries: Collection<DeliveryRow> = store.collection<DeliveryRow>(spec);

  async function takeOver({ tenantId, epoch }: TenantOwner, rows: readonly WaitingDelivery[]): Promise<readonly WaitingDelivery[]> {
    const older = rows.filter((row) => row.epoch < epoch).map(({ _id }) => _id);
    if (older.length === 0) return rows.filter((row) => row.epoch === epoch);
    const taken = new Map<string, WaitingDelivery>();
    // Updates a limited number of rows at a time, because an embedded store rewrites each row
    // together with all its attempts.
    for (const some of inChunks(older, TOGETHER)) {
      const claimed = { _id: { $in: some }, tenant_id: tenantId, status: 'pending' };
      const ours = await fairSlices.run(tenantId, async () => {
        await deliveries.updateMany({ ...claimed, epoch: { $lt: epoch } }, { $set: { epoch } });
        return deliveries.find({ ...claimed, epoch }, { projection: WITHOUT_ATTEMPTS }).toArray();
      });
      for (const row of ours) taken.set(row._id, row);
    }
    return rows.flatMap((row) => (row.epoch === epoch ? row : (taken.get(row._id) ?? [])));
  }

  const waiting = ({ tenantId }: TenantOwner, webhook_id: string, except: readonly string[], limit: number): Promise<WaitingDelivery[]> =>
    deliveries
      .find(
        { webhook_id, tenant_id: tenantId, status: 'pending', _id: { $nin: except } },
        { sort: { next_attempt_at: 1, _id: 1 }, limit, projection: WITHOUT_ATTEMPTS },
      )
      .toArray();

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
      deliveries.find(
        { tenant_id, ...filter, ...olderThan(page) },
        { sort: { created_at: -1, _id: -1 }, limit: page.limit, projection: SUMMARY },
      ),

    async attempts(tenant_id, ids) {
      const found = new Map<string, readonly DeliveryAttempt[]>();
      for (const some of inChunks(ids, TOGETHER)) {
        const read = () => deliveries.find({ tenant_id, _id: { $in: some } }, { projection: { attempts: 1 } }).toArray();
        for (const { _id, attempts } of await fairSlices.run(tenant_id, read)) if (attempts) found.set(_id, attempts);
      }
      return found;
    },

    async take(owner, webhook_id, { except, ...room }, now) {
      const rows: WaitingDelivery[] = [];
      for (let size = FIRST_READ, bytes = 0; ; size = nextRead(rows.length, bytes, room)) {
        const known = [...except, ...rows.map(({ _id }) => _id)];
        const found = await fairSlices.run(owner.tenantId, () => waiting(owner, webhook_id, known, size));
        const due = found.filter((row) => (row.next_attempt_at ?? 0) <= now);
        rows.push(...due);
        bytes = due.reduce((sum, { body }) => sum + body.length, bytes);
        const nextAt = found[due.length]?.next_attempt_at ?? null;
        const more = due.length === size;
        if (!more || rows.length >= room.rows || bytes >= room.bytes) return { rows: await takeOver(owner, rows), more, nextAt };
      }
    },

    async attempted({ tenantId, epoch }, { _id, attempt: before, next_attempt_at }, result, attempt) {
      const ours = { _id, tenant_id: tenantId, status: 'pending', epoch: { $lte: epoch } };
      const made = { $push: { attempts: { $each: [attempt], $slice: -MAX_ATTEMPTS_KEPT } } };
      const asTaken = await deliveries.updateOne({ ...ours, next_attempt_at }, { $set: result, ...made });
      if (asTaken.matchedCount === 1) return result.next_attempt_at;
      const { status, next_attempt_at: _, ...failure } = result;
      const asked = await deliveries.updateOne({ ...ours, attempt: before }, { $set: status === 'delivered' ? result : failure, ...made });
      // If another caller recorded a result meanwhile, only the store knows whether an attempt is due.
      return asked.matchedCount === 1 && status === 'delivered' ? null : attempt.at;
    },

    async again({ _id, tenant_id, status, attempt, asked_after }, next_attempt_at, expires_at) {
      const anew = status === 'pending' ? (asked_after ?? 0) : attempt;
      const update = { $set: { status: 'pending', next_attempt_at, expires_at, asked_after: anew } };
      return (await deliveries.updateOne({ _id, tenant_id, status, attempt }, update)).matchedCount === 1;
    },

    unhappy: (tenant_id, webhook_id, since, afterId, limit) =>
      deliveries
        .find(
          { tenant_id, webhook_id, created_at: { $gte: since }, _id: { $gt: afterId || idFloor(since) }, error: { $gte: '' } },
          { sort: { _id: 1 }, limit, projection: SUMMARY },
        )
        .toArray(),

    // Matches any tenant, so that the store uses the index of waiting deliveries.
    backlog: (limit) => deliveries.countDocuments({ status: 'pending', tenant_id: { $gt: '' } }, { limit }),

    async abandon(tenant_id, webhook_id, error) {
      const update = { $set: { status: 'failed', error, next_attempt_at: null } };
      await deliveries.updateMany({ webhook_id, tenant_id, status: 'pending' }, update);
    },
  };
}
