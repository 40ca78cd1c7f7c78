import type { Collection, Store } from './collection.ts';
import { type DeviceRow, deviceSpec } from './devices.ts';
import type { Page } from './tenants.ts';

/** What the cluster needs to know of a device to place it. */
export type Berth = Pick<DeviceRow, '_id' | 'tenant_id' | 'status' | 'pairing' | 'pinned_node' | 'traffic'>;

/** The devices of all tenants, for the cluster and its operators only; whoever acts for a tenant uses `Devices`. */
export interface Fleet {
  /** Those that should be online. */
  wanted(): Promise<Berth[]>;
  /** Those of which something happened that is perhaps not recorded as an event yet. */
  untold(): Promise<Berth[]>;
  find(sessionId: string): Promise<DeviceRow | null>;
  /** Newest first. */
  list(page: Page): Promise<DeviceRow[]>;
  /** Where an operator wants it from now on; null: wherever. */
  pin(sessionId: string, node: string | null): Promise<boolean>;
}

const BERTH = { _id: 1, tenant_id: 1, status: 1, pairing: 1, pinned_node: 1, traffic: 1 } as const;

export function fleetIn(store: Store): Fleet {
  const devices: Collection<DeviceRow> = store.collection<DeviceRow>(deviceSpec);

  return {
    wanted: () => devices.find({ wanted: true }, { projection: BERTH }).toArray(),
    untold: () => devices.find({ untold: true }, { projection: BERTH }).toArray(),
    find: (_id) => devices.findOne({ _id }),
    list: ({ limit, before, beforeId }) =>
      devices.find(olderThan(before, beforeId), { sort: { created_at: -1, _id: -1 }, limit }).toArray(),
    pin: async (_id, pinned_node) => (await devices.updateOne({ _id }, { $set: { pinned_node } })).matchedCount === 1,
  };
}

function olderThan(before: number | null, beforeId: string | null) {
  if (before === null) return {};
  return { $and: [{ created_at: { $lte: before } }, { $or: [{ created_at: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] }] };
}
