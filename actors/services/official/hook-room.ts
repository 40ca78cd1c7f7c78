import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { OfficialHookRow, OfficialHooks } from '../../../store/devices/official-hooks.ts';

/**
 * Bounds the webhooks that wait for one number and for all numbers of a tenant. Whoever makes an official device can sign its webhooks, and
 * nobody reads those of a number that is not connected. The rows are counted again every few seconds, because other nodes add and remove some;
 * between two counts this node adds what it takes. A limit is exceeded at most by what other nodes take between two counts, and by what is
 * being written during one.
 */
export interface HookRoom {
  /** Counts the row if both limits allow it; false: too much waits. A webhook that is repeated counts twice until the next count. */
  take(row: Pick<OfficialHookRow, 'tenant_id' | 'session_id' | 'weight'>, now: number): Promise<boolean>;
}

const MAX_WAITING_OF_NUMBER = 64 * 1024 * 1024;
const MAX_WAITING_OF_TENANT = 256 * 1024 * 1024;
const RECOUNT_MS = 2_000;
const REMEMBERED = 10_000;

interface Count {
  bytes: number;
  /** Whether this node took something since the count. */
  isOld: boolean;
  readonly until: number;
}

export function createHookRoom({ waitingBytes }: Pick<OfficialHooks, 'waitingBytes'>): HookRoom {
  const counts = new RecentCache<string, Count>(REMEMBERED);

  /** A count by which `weight` more bytes are allowed; null: they are not. A full one is counted again if this node added to it. */
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
