import type { Page } from '../accounts/tenants.ts';
import { olderThan } from '../paging/page.ts';
import type { Collection, Store } from '../port.ts';
import { type DeviceRow, deviceSpec } from './devices.ts';

export type DevicePlacement = Pick<DeviceRow, '_id' | 'tenant_id' | 'status' | 'pairing' | 'pinned_node' | 'traffic'>;

/** Only the cluster and its operators use this. Code that acts for a tenant uses `Devices`. */
export interface DeviceDirectory {
  wanted(): Promise<DevicePlacement[]>;
  unpublished(): Promise<DevicePlacement[]>;
  versions(): Promise<ReadonlyMap<string, number>>;
  find(sessionId: string): Promise<DeviceRow | null>;
  list(page: Page): AsyncIterable<DeviceRow>;
  pin(sessionId: string, node: string | null): Promise<boolean>;
}

const PLACEMENT = { _id: 1, tenant_id: 1, status: 1, pairing: 1, pinned_node: 1, traffic: 1 } as const;

export function deviceDirectoryIn(store: Store): DeviceDirectory {
  const devices: Collection<DeviceRow> = store.collection<DeviceRow>(deviceSpec);

  return {
    wanted: () => devices.find({ wanted: true }, { projection: PLACEMENT }).toArray(),
    unpublished: () => devices.find({ unpublished: true }, { projection: PLACEMENT }).toArray(),
    async versions() {
      const counts = new Map<string, number>();
      const connected = devices.find({ wanted: true, status: 'connected' }, { projection: { _id: 1, client_version: 1 } });
      for await (const { client_version: version = null } of connected)
        if (version !== null) counts.set(version, (counts.get(version) ?? 0) + 1);
      return counts;
    },
    find: (_id) => devices.findOne({ _id }),
    list: ({ limit, before, beforeId }) => devices.find(olderThan({ before, beforeId }), { sort: { created_at: -1, _id: -1 }, limit }),
    pin: async (_id, pinned_node) => (await devices.updateOne({ _id }, { $set: { pinned_node } })).matchedCount === 1,
  };
}
