import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { OfficialHookRow, OfficialHooks } from '../../../store/devices/official-hooks.ts';

/** Limits the total size of waiting webhooks. Other nodes may exceed it between two counts. */
export interface HookRoom {
  /** A webhook that is delivered twice takes space twice until the next count. */
  take(row: Pick<OfficialHookRow, 'tenant_id' | 'session_id' | 'weight'>, now: number): Promise<boolean>;
}

const MAX_WAITING_OF_NUMBER = 64 * 1024 * 1024;
const MAX_WAITING_OF_TENANT = 256 * 1024 * 1024;
const RECOUNT_MS = 2_000;
const REMEMBERED = 10_000;

interface Count {
  bytes: number;
  isOld: boolean;
  readonly until: number;
}

export function createHookRoom({ waitingBytes }: Pick<OfficialHooks, 'waitingBytes'>): HookRoom {
  const counts = new RecentCache<string, Count>(REMEMBERED);

  async function allowing(of: Parameters<typeof waitingBytes>[0], limit: number, weight: number, now: number): Promise<Count | null> {
    const key = JSON.stringify(of);
    let count = counts.get(key);
    if (!count || count.until <= now || (count.isOld && count.bytes + weight > limit)) {
      count = { bytes: await waitingBytes(of, limit), isOld: false, until: now + RECOUNT_MS };
      counts.set(key, count);
    }
    return count.bytes + weight > limit ? null : count;
  }

  return {
    async take({ tenant_id, session_id, weight }, now) {
      const number = await allowing({ session_id }, MAX_WAITING_OF_NUMBER, weight, now);
      const tenant = number && (await allowing({ tenant_id }, MAX_WAITING_OF_TENANT, weight, now));
      if (!number || !tenant) return false;
      for (const count of [number, tenant]) {
        count.bytes += weight;
        count.isOld = true;
      }
      return true;
    },
  };
}
