import type { BlastRow } from '../../store/blasts.ts';
import type { DeviceRow, Devices } from '../../store/devices.ts';
import { restrictionAt } from '../device/restriction.ts';

/** The devices that a campaign may use now. */
export interface Route {
  readonly ready: readonly DeviceRow[];
  /** Why somebody has to see to it before it can go on (the reason of `blast.paused`); null: nothing keeps it for long. */
  readonly trouble: string | null;
  /** Devices that do not get over theirs by themselves, and what it is: others may take their share meanwhile. */
  readonly troubled: ReadonlyMap<string, string>;
}

export interface Routes {
  of(row: Pick<BlastRow, 'tenant_id' | 'session_id' | 'rotator_id'>, now: number): Promise<Route>;
}

/** A device that is offline for longer does not come back by itself any more. */
const OFFLINE_MS = 10 * 60_000;

export function createRoutes(devices: Devices, ofRotator: (tenantId: string, rotatorId: string) => Promise<readonly string[]>): Routes {
  return {
    async of({ tenant_id, session_id, rotator_id }, now) {
      const ids = session_id === null ? await ofRotator(tenant_id, rotator_id ?? '') : [session_id];
      const rows = await devices.list(tenant_id, ids);
      const troubles = rows.map((row) => [row._id, troubleOf(row, now)] as const);
      const troubled = new Map(troubles.flatMap(([id, trouble]) => (trouble === null ? [] : [[id, trouble]])));
      const ready = rows.filter(({ _id, status }) => status === 'connected' && !troubled.has(_id));
      if (rows.length === 0) return { ready, trouble: 'no_session', troubled };
      return { ready, trouble: troubled.size < rows.length ? null : (troubled.values().next().value ?? null), troubled };
    },
  };
}

function troubleOf(row: DeviceRow, now: number): string | null {
  const { status, offline_since, created_at } = row;
  if (status === 'connected') return restrictionAt(row, now) === null ? null : 'device_restricted';
  if (status === 'failed') return 'device_failed';
  return now - (offline_since ?? created_at) > OFFLINE_MS ? 'device_disconnected' : null;
}
