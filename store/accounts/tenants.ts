import { olderThan } from '../paging/page.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import { HEALTH_INDEXES, type TenantHealth, type TenantHealths, tenantHealthsIn } from './tenant-health.ts';

export interface Profile {
  readonly business_name: string | null;
  readonly country: string;
  readonly timezone: string;
  readonly locale: 'en' | 'id';
  readonly industry: string | null;
  readonly currency: 'IDR' | 'USD';
  readonly configured: boolean;
}

/**
 * Times are `HH:MM`. An end before the start is on the next day. Days of the week start at 0 =
 * Sunday.
 */
export interface Hours {
  readonly start: string;
  readonly end: string;
  readonly days: readonly number[];
}

export interface Settings {
  readonly send_window: Hours & { readonly enabled: boolean; readonly zone: 'business' | 'recipient' };
  readonly welcome: { readonly enabled: boolean; readonly text: string | null };
  readonly away: { readonly enabled: boolean; readonly text: string | null; readonly hours: Hours };
  readonly pacing: { readonly min_delay_ms: number; readonly max_delay_ms: number; readonly typing: boolean };
  readonly warmup: { readonly enabled: boolean; readonly days: number };
}

export interface TenantRow {
  readonly _id: string;
  readonly name: string;
  readonly phone: string;
  readonly plan: string;
  /** The billing account's revision that set the plan; absent if billing did not set it. */
  readonly plan_rev?: number;
  readonly suspended: boolean;
  readonly profile: Profile;
  readonly settings: Partial<Settings>;
  /** Incremented each time the settings are saved, so that concurrent saves detect each other. */
  readonly settings_revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly health?: TenantHealth;
  readonly health_due_at?: number;
}

export interface Page {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export interface Tenants extends TenantHealths<TenantRow> {
  create(row: TenantRow): Promise<boolean>;
  find(tenantId: string): Promise<TenantRow | null>;
  activeOf(tenantIds: readonly string[]): Promise<readonly string[]>;
  byPhone(phone: string): Promise<TenantRow | null>;
  saveProfile(tenantId: string, patch: Partial<Profile>, now: number): Promise<TenantRow | null>;
  saveSettings(tenantId: string, revision: number, settings: Partial<Settings>, now: number): Promise<boolean>;
  govern(tenantId: string, patch: Partial<Pick<TenantRow, 'suspended'>>, now: number): Promise<TenantRow | null>;
  remove(tenantId: string): Promise<void>;
  /** Has no effect if `rev` is older than the revision that set the current plan. */
  setPlan(tenantId: string, plan: string, rev: number, now: number): Promise<void>;
  list(page: Page): AsyncIterable<TenantRow>;
}

export const tenantsSpec: CollectionSpec = {
  name: 'tenants',
  indexes: [
    { name: 'by_phone', keys: { phone: 1 }, unique: true },
    { name: 'newest', keys: { created_at: -1, _id: -1 } },
    ...HEALTH_INDEXES,
  ],
};

const after = { returnDocument: 'after' } as const;

export function tenantsIn(store: Store): Tenants {
  const tenants: Collection<TenantRow> = store.collection<TenantRow>(tenantsSpec);

  return {
    ...tenantHealthsIn(tenants),

    async create(row) {
      try {
        await tenants.insertOne(row);
        return true;
      } catch (cause) {
        if (isDuplicateKey(cause) && 'phone' in cause.keyPattern) return false;
        throw cause;
      }
    },

    find: (_id) => tenants.findOne({ _id }),
    activeOf: async (ids) => (await tenants.find({ _id: { $in: ids }, suspended: false }).toArray()).map(({ _id }) => _id),
    byPhone: (phone) => tenants.findOne({ phone }),

    saveProfile: (_id, patch, now) => tenants.findOneAndUpdate({ _id }, { $set: { ...under('profile', patch), updated_at: now } }, after),

    async saveSettings(_id, settings_revision, settings, now) {
      const update = { $set: { settings, updated_at: now }, $inc: { settings_revision: 1 } };
      return (await tenants.updateOne({ _id, settings_revision }, update)).matchedCount === 1;
    },

    govern: (_id, patch, now) => tenants.findOneAndUpdate({ _id }, { $set: { ...patch, updated_at: now } }, after),

    remove: async (_id) => void (await tenants.deleteOne({ _id })),

    async setPlan(_id, plan, plan_rev, now) {
      const isOlder = { $or: [{ plan_rev: null }, { plan_rev: { $lt: plan_rev } }] };
      await tenants.updateOne({ _id, ...isOlder }, { $set: { plan, plan_rev, updated_at: now } });
    },

    list: ({ limit, before, beforeId }) => tenants.find(olderThan({ before, beforeId }), { sort: { created_at: -1, _id: -1 }, limit }),
  };
}

const under = (path: string, fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${path}.${name}`, value]));
