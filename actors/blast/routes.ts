import type { BlastRow } from '../../store/blasts.ts';
import type { DeviceRow, Devices } from '../../store/devices.ts';

/** The devices that a campaign may use now. */
export interface Route {
  readonly ready: readonly DeviceRow[];
  /** Why somebody has to see to it before it can go on (the reason of `blast.paused`); null: nothing keeps it for long. */
  readonly trouble: string | null;
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
      const ready = rows.filter(({ status }) => status === 'connected');
      const troubles = rows.map((row) => troubleOf(row, now));
      if (rows.length === 0) return { ready, trouble: 'no_session' };
      return { ready, trouble: troubles.includes(null) ? null : (troubles[0] ?? null) };
    },
  };
}

function troubleOf({ status, offline_since, created_at }: DeviceRow, now: number): string | null {
  if (status === 'connected') return null;
  if (status === 'failed') return 'device_failed';
  return now - (offline_since ?? created_at) > OFFLINE_MS ? 'device_disconnected' : null;
}
