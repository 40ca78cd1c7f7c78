import { CLAIM_MS } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { HealthColor, HealthSign, TenantHealth, TenantHealths } from '../../../store/accounts/tenant-health.ts';
import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import type { GroupFigures } from '../../../store/analytics/bucket-row.ts';
import type { Buckets } from '../../../store/analytics/buckets.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import type { DeviceBlocks } from '../../../store/devices/device-blocks.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { restrictionAt } from '../../device/behaviour/restriction.ts';
import { type CampaignFigures, type ComplaintLimits, complaintsIn, holdingBack } from '../../domain/health/complaints.ts';
import { type DeviceFacts, rankOf, signOf, type TrafficFigures } from '../../domain/health/signs.ts';
import { addressOf } from '../../network/subject.ts';
import type { Recount } from '../analytics/recount.ts';
import type { EventLog } from '../events/event-log.ts';

/**
 * Evaluates the health of each tenant's devices every 15 minutes, from traffic counts, opt-outs and
 * blocks. If a color changes, records an event. If a device has too many complaints, pauses its
 * campaigns.
 */

export interface TenantHealthDeps {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly healths: TenantHealths<TenantRow>;
  readonly devices: Pick<Devices, 'list' | 'noteComplaints'>;
  readonly blocks: Pick<DeviceBlocks, 'of'>;
  readonly complaintLimits: ComplaintLimits;
  readonly buckets: Pick<Buckets, 'between'>;
  readonly recount: Pick<Recount, 'freshen'>;
  readonly consents: Pick<Consents, 'optedOutBetween'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
  chatKey(tenantId: string, chatId: string): string;
  campaignsChanged(tenantId: string): void;
  changed(tenantId: string, sign: HealthSign, former: HealthColor): void;
}

export interface HealthWatch {
  continueAll(now: number): Promise<void>;
  look(tenantId: string, now: number): Promise<TenantHealth | null>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 15 * 60_000;
const MAX_PER_SWEEP = 1_000;
const MAX_OPT_OUTS = 5_000;

interface Campaigned {
  readonly id: string;
  readonly at: number;
  readonly chats: GroupFigures['chats'];
  readonly unknown: number;
}

interface Tally {
  readonly day: { -readonly [Field in keyof TrafficFigures]: number };
  readonly week: { -readonly [Field in keyof TrafficFigures]: number };
  readonly campaigns: Campaigned[];
  lastInboundAt: number | null;
}

interface DeviceSign {
  readonly device: DeviceRow;
  readonly sign: HealthSign;
  /** Figures since a person last resumed the device's paused campaigns, for at most a week. */
  readonly sinceLifted: CampaignFigures;
}

export function createHealthWatch(deps: TenantHealthDeps): HealthWatch {
  const { healths, devices, buckets, recount, consents, chatKey, blocks, complaintLimits, clock } = deps;

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
      if (at >= now - 7 * DAY_MS) addCampaigns(tally, at, figures.groups);
    }
    return tallies;
  }

  async function signsOf(tenantId: string, former: TenantHealth | null, now: number): Promise<readonly DeviceSign[]> {
    const own = (await devices.list(tenantId, null)).toReversed();
    if (own.length === 0) return [];
    await recount.freshen(tenantId, now);
    const tallies = await talliesOf(tenantId, now);
    const out = await consents.optedOutBetween(tenantId, now - 7 * DAY_MS, now + 1, MAX_OPT_OUTS);
    // Opt-outs in an import were made elsewhere, so this device's messages are not their cause.
    const optedOut = out.flatMap(({ subject, updated_at: at, source }) =>
      source === 'import' ? [] : [{ key: chatKey(tenantId, addressOf(subject)), at }],
    );
    const before = new Map(former?.signs.map((sign) => [sign.device, sign]));
    const signs: DeviceSign[] = [];
    for (const device of own) {
      const tally = tallies.get(device._id) ?? newTally();
      const blocked = tally.campaigns.length > 0 ? await blocks.of(device._id, MAX_OPT_OUTS) : [];
      const figures = (from: number): CampaignFigures => campaignFigures(tally.campaigns, optedOut, blocked, from);
      const [week, lifted] = [figures(0), device.complaints_from ?? null];
      const sign = signOf(factsOf(device, tally, week, now), before.get(device._id) ?? null, complaintLimits, now);
      signs.push({ device, sign, sinceLifted: lifted === null ? week : figures(lifted) });
    }
    return signs;
  }

  async function holdBack(device: DeviceRow, figures: CampaignFigures, now: number): Promise<void> {
    const [worst] = holdingBack(complaintsIn(figures, complaintLimits)).toSorted((one, other) => other.times - one.times);
    if ((worst?.what ?? null) === (device.complaints?.what ?? null)) return;
    await devices.noteComplaints(device, worst ? { what: worst.what, at: now } : null);
    if (worst) deps.campaignsChanged(device.tenant_id);
  }

  /** Records color changes. The key has the last evaluation's time, so that crashes cause no duplicates. */
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
    const looked = await signsOf(_id, former, now);
    for (const { device, sinceLifted } of looked) await holdBack(device, sinceLifted, now);
    const signs = looked.map(({ sign }) => sign);
    const found = { at: now, rank: rankOf(signs), signs };
    await tell(_id, former, signs, now);
    await healths.keep(_id, former, found, now + EVERY_MS);
    return found;
  }

  return {
    async continueAll(now) {
      for (let done = 0; done < MAX_PER_SWEEP; done += 1) {
        const tenant = await healths.due(now, Math.max(0, clock.now() - now) + CLAIM_MS);
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
const newTally = (): Tally => ({ day: { ...NOTHING }, week: { ...NOTHING }, campaigns: [], lastInboundAt: null });

function add(to: { -readonly [Field in keyof TrafficFigures]: number }, { sent, delivered, failed, received }: TrafficFigures): void {
  to.sent += sent;
  to.delivered += delivered;
  to.failed += failed;
  to.received += received;
}

function addCampaigns(tally: Tally, at: number, groups: readonly GroupFigures[]): void {
  for (const { kind, id, chats, unknown = 0 } of groups) if (kind === 'blast') tally.campaigns.push({ id, at, chats, unknown });
}

type Said = { readonly key: string; readonly at: number };

/** Counts reactions to campaigns. A person counts once per campaign that reached them. */
function campaignFigures(
  campaigns: readonly Campaigned[],
  optedOut: readonly Said[],
  blocked: readonly Said[],
  from: number,
): CampaignFigures {
  const reached = new Set<string>();
  const firstOut = new Map<string, number>();
  let [first, unknown] = [0, 0];
  for (const campaign of campaigns) {
    if (campaign.at >= from) unknown += campaign.unknown;
    for (const { key, first_out, is_new } of campaign.chats) {
      const once = `${campaign.id} ${key}`;
      if (first_out < from || reached.has(once)) continue;
      reached.add(once);
      if (is_new) first += 1;
      firstOut.set(key, Math.min(first_out, firstOut.get(key) ?? first_out));
    }
  }
  const after = (said: readonly Said[]): number =>
    new Set(said.flatMap(({ key, at }) => (at >= (firstOut.get(key) ?? Number.POSITIVE_INFINITY) ? [key] : []))).size;
  return { sent: reached.size, optOuts: after(optedOut), blocks: after(blocked), first, unknown };
}

const factsOf = (device: DeviceRow, { day, week, lastInboundAt }: Tally, campaigns: CampaignFigures, now: number): DeviceFacts => ({
  device,
  restriction: restrictionAt(device, now),
  day,
  week,
  campaigns,
  lastInboundAt,
});
