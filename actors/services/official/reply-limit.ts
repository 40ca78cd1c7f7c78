import type { DeviceRow } from '../../../store/devices/devices.ts';
import { FREE_SERVICE, type OfficialMonths } from '../../../store/devices/official-months.ts';
import type { Owner } from '../../../store/messaging/messages.ts';

/** Limits replies beyond the free ones. After a restart, a warning may be repeated. */
export interface ReplyLimit {
  admits(device: DeviceRow, now: number, id?: string): Promise<boolean>;
  countService(of: Owner, now: number): Promise<void>;
  onWarning(receive: (warning: ServiceWarning) => Promise<void>): void;
}

export interface ServiceWarning {
  readonly of: Pick<Owner, 'tenantId' | 'sessionId'>;
  readonly level: 80 | 100;
  readonly used: number;
  readonly limit: number;
  readonly at: number;
}

const MOST_OF_THEM = FREE_SERVICE * 0.8;

export function createReplyLimit(months: OfficialMonths): ReplyLimit {
  let warn: (warning: ServiceWarning) => Promise<void> = async () => undefined;
  return {
    async admits({ _id: sessionId, tenant_id: tenantId, official, monthly_service_limit: limit = null }, now, id) {
      if (!official || limit === null) return true;
      if ((await months.service(sessionId, now)) < FREE_SERVICE) return true;
      const of = { tenantId, sessionId };
      if (await months.takeReply(of, id ?? null, limit, now)) return true;
      await warn({ of, level: 100, used: limit, limit, at: now });
      return false;
    },
    async countService(of, now) {
      const used = await months.countService(of, now);
      if (used !== MOST_OF_THEM && used !== FREE_SERVICE) return;
      await warn({ of, level: used === FREE_SERVICE ? 100 : 80, used, limit: FREE_SERVICE, at: now });
    },
    onWarning(receive) {
      warn = receive;
    },
  };
}
