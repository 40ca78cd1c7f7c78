import type { Collection, Filter } from '../port.ts';

export type HealthColor = 'green' | 'yellow' | 'red';

/** `figure` is a number whose unit depends on `what`. `since` is in epoch ms. */
export interface HealthReason {
  readonly what:
    | 'failed'
    | 'client_outdated'
    | 'banned_temporarily'
    | 'network_refused'
    | 'offline'
    | 'restricted'
    | 'delivery'
    | 'failing'
    | 'opt_outs'
    | 'blocks'
    | 'first_contacts'
    | 'lookups'
    | 'reconnects'
    | 'silence';
  readonly color: Exclude<HealthColor, 'green'>;
  readonly figure: number;
  readonly since: number;
}

export interface HealthSign {
  readonly device: string;
  readonly color: HealthColor;
  readonly reasons: readonly HealthReason[];
}

/** `rank` is used to sort tenants: higher is worse. */
export interface TenantHealth {
  readonly at: number;
  readonly rank: number;
  readonly signs: readonly HealthSign[];
}

export interface WorstPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export interface TenantHealths<Row> {
  due(now: number, leaseMs: number): Promise<Row | null>;
  hurry(tenantId: string, now: number): Promise<void>;
  dueBy(tenantId: string, at: number): Promise<void>;
  /** Returns false if another result has been stored since `former` was read. */
  keep(tenantId: string, former: TenantHealth | null, health: TenantHealth, dueAt: number): Promise<boolean>;
  worst(page: WorstPage): AsyncIterable<Row>;
}

export const HEALTH_INDEXES = [
  { name: 'worst', keys: { 'health.rank': -1, _id: -1 } },
  { name: 'health_due', keys: { health_due_at: 1 }, where: { health_due_at: { $gte: 0 } } },
] as const;

export function tenantHealthsIn<Row extends { readonly _id: string }>(tenants: Collection<Row>): TenantHealths<Row> {
  return {
    due: (now, leaseMs) =>
      tenants.findOneAndUpdate(
        { health_due_at: { $gte: 0, $lte: now } },
        { $set: { health_due_at: now + leaseMs } },
        { sort: { health_due_at: 1 }, returnDocument: 'after' },
      ),

    hurry: async (_id, health_due_at) => void (await tenants.updateOne({ _id }, { $set: { health_due_at } })),

    dueBy: async (_id, health_due_at) =>
      void (await tenants.updateOne({ _id, health_due_at: { $gt: health_due_at } }, { $set: { health_due_at } })),

    async keep(_id, former, health, health_due_at) {
      const filter: Filter = former ? { _id, 'health.at': former.at } : { _id, health: null };
      return (await tenants.updateOne(filter, { $set: { health, health_due_at } })).matchedCount === 1;
    },

    worst: ({ limit, before, beforeId }) => {
      const from = { 'health.rank': { $gte: 0, ...(before !== null && { $lte: before }) } };
      const behind: Filter[] = before === null ? [] : [{ $or: [{ 'health.rank': { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] }];
      return tenants.find({ $and: [from, ...behind] }, { sort: { 'health.rank': -1, _id: -1 }, limit });
    },
  };
}
