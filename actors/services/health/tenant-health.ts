import type { HealthColor, HealthSign, TenantHealth, TenantHealths } from '../../../store/accounts/tenant-health.ts';
import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import type { GroupFigures } from '../../../store/analytics/bucket-row.ts';
import type { Buckets } from '../../../store/analytics/buckets.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { restrictionAt } from '../../device/behaviour/restriction.ts';
import { type DeviceFacts, rankOf, signOf, type TrafficFigures } from '../../domain/health/signs.ts';
import type { Recount } from '../analytics/recount.ts';
import { addressOf } from '../consent/subject.ts';
import type { EventLog } from '../events/event-log.ts';

export interface TenantHealthDeps {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly healths: TenantHealths<TenantRow>;
  readonly devices: Pick<Devices, 'list'>;
  readonly buckets: Pick<Buckets, 'between'>;
  readonly recount: Pick<Recount, 'freshen'>;
  readonly consents: Pick<Consents, 'optedOutBetween'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  chatKey(tenantId: string, chatId: string): string;
  /** The color of a device changed. */
  changed(tenantId: string, sign: HealthSign, former: HealthColor): void;
}

/** Signs of trouble with the network, of each device, before it comes to a ban. */
export interface HealthWatch {
  /** Looks at tenants that are due. */
  continueAll(now: number): Promise<void>;
  /** The health of a tenant as it is now; null: there is no such tenant. */
  look(tenantId: string, now: number): Promise<TenantHealth | null>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 15 * 60_000;
const LEASE_MS = 60_000;
const MAX_PER_SWEEP = 1_000;
const MAX_OPT_OUTS = 5_000;

interface Tally {
  readonly day: { -readonly [Field in keyof TrafficFigures]: number };
  readonly week: { -readonly [Field in keyof TrafficFigures]: number };
  readonly campaignChats: Map<string, number>;
  campaigns: number;
  lastInboundAt: number | null;
}

export function createHealthWatch(deps: TenantHealthDeps): HealthWatch {
  const { healths, devices, buckets, recount, consents, chatKey } = deps;

  async function talliesOf(tenantId: string, now: number): Promise<ReadonlyMap<string, Tally>> {
    const tallies = new Map<string, Tally>();
    const [day, week] = [now - 25 * HOUR_MS, now - 25 * HOUR_MS - 7 * DAY_MS];
    for await (const { session_id, at, figures } of buckets.between(tenantId, week, now + 1)) {
      if (!figures) continue;
      const tally = tallies.get(session_id) ?? newTally();
      tallies.set(session_id, tally);
      if (at < day) add(tally.week, figures);
      else if (at < now - HOUR_MS) add(tally.day, figures);
      if (figures.received > 0) tally.lastInboundAt = at;
      if (at >= now - 7 * DAY_MS) addCampaigns(tally, figures.groups);
    }
    return tallies;
  }

  async function signsOf(tenantId: string, former: TenantHealth | null, now: number): Promise<HealthSign[]> {
    const own = (await devices.list(tenantId, null)).toReversed();
    if (own.length === 0) return [];
    await recount.freshen(tenantId, now);
    const tallies = await talliesOf(tenantId, now);
    const optedOut = (await consents.optedOutBetween(tenantId, now - 7 * DAY_MS, now + 1, MAX_OPT_OUTS)).map(({ subject, updated_at }) => ({
      key: chatKey(tenantId, addressOf(subject)),
      at: updated_at,
    }));
    const before = new Map(former?.signs.map((sign) => [sign.device, sign]));
    return own.map((device) => {
      const tally = tallies.get(device._id) ?? newTally();
      const optOuts = optedOut.filter(({ key, at }) => at >= (tally.campaignChats.get(key) ?? Number.POSITIVE_INFINITY)).length;
      return signOf(factsOf(device, tally, optOuts, now), before.get(device._id) ?? null, now);
    });
  }

  /** The event names the look before: a crash between the two writes does not tell it twice. */
  async function tell(tenantId: string, former: TenantHealth | null, signs: readonly HealthSign[], now: number): Promise<void> {
    for (const sign of signs) {
      const was = former?.signs.find(({ device }) => device === sign.device)?.color ?? 'green';
      if (was === sign.color) continue;
      const { device, color, reasons } = sign;
      const row = `health ${device}@${former?.at ?? 0}`;
      await deps.eventLog.record(tenantId, [
        { session_id: device, type: 'health.changed', row, occurred_at: now, data: { color, former: was, reasons } },
      ]);
      deps.changed(tenantId, sign, was);
    }
  }

  async function evaluate({ _id, health }: TenantRow, now: number): Promise<TenantHealth> {
    const former = health ?? null;
    const signs = await signsOf(_id, former, now);
    const found = { at: now, rank: rankOf(signs), signs };
    await tell(_id, former, signs, now);
    await healths.keep(_id, former, found, now + EVERY_MS);
    return found;
  }

  return {
    async continueAll(now) {
      for (let done = 0; done < MAX_PER_SWEEP; done += 1) {
        const tenant = await healths.due(now, LEASE_MS);
        if (!tenant) return;
        await evaluate(tenant, now);
      }
    },

    async look(tenantId, now) {
      const tenant = await deps.tenants.find(tenantId);
      return tenant && evaluate(tenant, now);
    },
  };
}

const NOTHING: TrafficFigures = { sent: 0, delivered: 0, failed: 0, received: 0 };
const newTally = (): Tally => ({ day: { ...NOTHING }, week: { ...NOTHING }, campaignChats: new Map(), campaigns: 0, lastInboundAt: null });

function add(to: { -readonly [Field in keyof TrafficFigures]: number }, { sent, delivered, failed, received }: TrafficFigures): void {
  to.sent += sent;
  to.delivered += delivered;
  to.failed += failed;
  to.received += received;
}

function addCampaigns(tally: Tally, groups: readonly GroupFigures[]): void {
  for (const { kind, sent, chats } of groups) {
    if (kind !== 'blast') continue;
    tally.campaigns += sent;
    for (const { key, first_out } of chats) tally.campaignChats.set(key, Math.min(first_out, tally.campaignChats.get(key) ?? first_out));
  }
}

const factsOf = (device: DeviceRow, { day, week, campaigns, lastInboundAt }: Tally, optOuts: number, now: number): DeviceFacts => ({
  device,
  restriction: restrictionAt(device, now),
  day,
  week,
  campaigns: { sent: campaigns, optOuts },
  lastInboundAt,
});
