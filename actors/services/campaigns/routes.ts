import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { OfficialNumbers } from '../../../store/devices/official-numbers.ts';
import { restrictionAt } from '../../device/behaviour/restriction.ts';
import { NUMBER_TROUBLES } from '../../domain/official-troubles.ts';

export interface Route {
  /** The route's devices, without those that have left the rotator. */
  readonly members: ReadonlySet<string>;
  readonly ready: readonly DeviceRow[];
  /** A problem that a person must solve. Null if a device works or may recover by itself. */
  readonly blocker: string | null;
  readonly troubled: ReadonlyMap<string, string>;
}

type Addressed = Pick<CampaignRow, 'tenant_id' | 'session_id' | 'rotator_id'>;

export interface Routes {
  of(row: Addressed, now: number): Promise<Route>;
  lift(row: Addressed & Pick<CampaignRow, 'pause_reason'>, now: number): Promise<void>;
}

/** Longer than a device needs to reconnect by itself. */
const OFFLINE_MS = 10 * 60_000;

export function createRoutes(
  devices: Devices,
  liftTrouble: OfficialNumbers['liftTrouble'],
  ofRotator: (tenantId: string, rotatorId: string) => Promise<readonly string[]>,
): Routes {
  const idsOf = async ({ tenant_id, session_id, rotator_id }: Addressed): Promise<readonly string[]> =>
    session_id === null ? ofRotator(tenant_id, rotator_id ?? '') : [session_id];

  return {
    async of(row, now) {
      const rows = await devices.list(row.tenant_id, await idsOf(row));
      const members = new Set(rows.map(({ _id }) => _id));
      const blockers = rows.map((row) => [row._id, blockerOf(row, now)] as const);
      const troubled = new Map(blockers.flatMap(([id, blocker]) => (blocker === null ? [] : [[id, blocker]])));
      const ready = rows.filter(({ _id, status }) => status === 'connected' && !troubled.has(_id));
      if (rows.length === 0) return { members, ready, blocker: 'no_session', troubled };
      return { members, ready, blocker: troubled.size < rows.length ? null : (troubled.values().next().value ?? null), troubled };
    },

    async lift(row, now) {
      const reason = row.pause_reason;
      if (reason === 'complaints') await devices.liftComplaints(row.tenant_id, await idsOf(row), now);
      if (isNumberTrouble(reason)) await liftTrouble(row.tenant_id, await idsOf(row));
    },
  };
}

const isNumberTrouble = (reason: string | null): boolean => NUMBER_TROUBLES.some((one) => one === reason);

function blockerOf(row: DeviceRow, now: number): string | null {
  const { status, offline_since, created_at } = row;
  if (row.complaints) return 'complaints';
  if (row.official?.trouble) return row.official.trouble.reason;
  if (status === 'connected') return restrictionAt(row, now) === null ? null : 'device_restricted';
  if (status === 'failed') return 'device_failed';
  return now - (offline_since ?? created_at) > OFFLINE_MS ? 'device_disconnected' : null;
}
