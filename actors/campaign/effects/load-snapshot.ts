import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import type { CampaignCounts, CampaignRow, Campaigns, PlatformFailures } from '../../../store/campaigns/campaigns.ts';
import type { Recipients } from '../../../store/campaigns/recipients.ts';
import { TEMPLATE_TROUBLES } from '../../domain/official-troubles.ts';
import { type CompareDeps, compareWithMessages } from '../../services/campaigns/lanes.ts';
import type { Route, Routes } from '../../services/campaigns/routes.ts';
import { refusedStart } from '../../services/campaigns/started-limit.ts';
import { windowNow } from '../behaviour/send-window.ts';
import type { Snapshot, WindowNow } from '../protocol.ts';

export interface SnapshotDeps extends CompareDeps {
  readonly campaigns: Campaigns;
  readonly tenants: Tenants;
  readonly routes: Routes;
  templateTrouble(row: CampaignRow): Promise<string | null>;
  requiresAttestation(tenantId: string): Promise<boolean>;
}

export interface SnapshotOptions {
  readonly count: boolean;
  readonly compare: boolean;
  readonly upTo: number;
}

const WIDE_OPEN: WindowNow = { open: null, opensAt: null, closesAt: null, isOverrun: false };

const AT_REST = { ahead: 0, hasPending: false, blocker: null, isStranded: false, stuck: null, isReady: false, window: WIDE_OPEN } as const;

const NOTHING_LACKS = { lacksAttestation: false, lacksRoom: false } as const;

export async function loadSnapshot(
  deps: SnapshotDeps,
  tenantId: string,
  campaignId: string,
  order: SnapshotOptions,
  now: number,
): Promise<Snapshot | null> {
  const [row, tenant] = await Promise.all([deps.campaigns.find(tenantId, campaignId), deps.tenants.find(tenantId)]);
  if (!row || !tenant) return null;
  if (order.compare) await compareWithMessages(deps, row);
  const counts = order.count ? await countsOf(deps, row) : null;
  const isSuspended = tenant.suspended;
  if (row.status !== 'running') return { row, ...AT_REST, ...(await lacks(deps, row)), isSuspended, counts };
  const [ahead, hasPending, route, window, trouble] = await Promise.all([
    deps.recipients.countQueued(campaignId, order.upTo),
    deps.recipients.hasPending(campaignId, null),
    deps.routes.of(row, now),
    windowOf(deps, row, tenant, order.upTo, now),
    row.official ? platformTrouble(deps, row) : null,
  ]);
  const left = await leftBehind(deps, row, route, order.upTo);
  return {
    row,
    ahead,
    hasPending,
    blocker: route.blocker ?? trouble,
    ...left,
    ...NOTHING_LACKS,
    isReady: route.ready.length > 0,
    window,
    isSuspended,
    counts,
  };
}

/** Minimum number of recipients before the share of unreachable ones can stop a campaign. */
const JUDGED = 200;
const MOST_UNREACHABLE = 0.05;

async function platformTrouble(deps: SnapshotDeps, row: CampaignRow): Promise<string | null> {
  const trouble = await deps.templateTrouble(row);
  if (trouble !== null) return trouble;
  const { failures, reason } = await failuresOf(deps, row);
  const seen = row.failures_seen ?? { template: 0, unreachable: 0, outcomes: 0 };
  if (failures.template > seen.template) return reason;
  const judged = Math.max(JUDGED, failures.outcomes - seen.outcomes);
  return failures.unreachable - seen.unreachable > judged * MOST_UNREACHABLE ? 'not_reachable' : null;
}

export async function failuresOf(
  { recipients }: Pick<SnapshotDeps, 'recipients'>,
  { _id, sent_count, failed_count }: CampaignRow,
): Promise<{ readonly failures: PlatformFailures; readonly reason: string | null }> {
  const count = (error: string): Promise<number> => recipients.countFailed(_id, error);
  const [unreachable, ...counts] = await Promise.all(['not_reachable', ...TEMPLATE_TROUBLES].map(count));
  const template = counts.reduce((sum, failed) => sum + failed, 0);
  const reason = TEMPLATE_TROUBLES[counts.indexOf(Math.max(...counts))] ?? null;
  return { failures: { template, unreachable: unreachable ?? 0, outcomes: sent_count + failed_count }, reason };
}

/** For a draft, returns the stored counts, because its recipients are not listed yet. */
const countsOf = async ({ recipients }: SnapshotDeps, row: CampaignRow): Promise<CampaignCounts> =>
  row.status === 'draft' ? row : recipients.counts(row._id, row.status);

/** Checks what a manual start would check, because a scheduled draft starts without a caller. */
async function lacks(deps: SnapshotDeps, row: CampaignRow): Promise<Pick<Snapshot, 'lacksAttestation' | 'lacksRoom'>> {
  if (row.status !== 'draft' || row.scheduled_at === null) return NOTHING_LACKS;
  return {
    lacksAttestation: row.consent_attested_at === null && (await deps.requiresAttestation(row.tenant_id)),
    lacksRoom: (await refusedStart(deps.campaigns, row.tenant_id)) !== null,
  };
}

async function leftBehind(
  deps: SnapshotDeps,
  { _id, rotator_id }: CampaignRow,
  { members, blocker, troubled }: Route,
  upTo: number,
): Promise<Pick<Snapshot, 'isStranded' | 'stuck'>> {
  const mayLeaveSome = troubled.size > 0 || rotator_id !== null;
  const out = blocker === null && mayLeaveSome ? await deps.recipients.queued(_id, upTo) : [];
  const left = out.filter(({ session_id }) => troubled.has(session_id ?? '') || !members.has(session_id ?? ''));
  const isStranded = await isAnyInLane(deps, left);
  const isAll = left.length === out.length && !isStranded;
  const troubles = left.flatMap(({ session_id }) => troubled.get(session_id ?? '') ?? []);
  return { isStranded, stuck: isAll ? (troubles[0] ?? null) : null };
}

async function windowOf(deps: SnapshotDeps, row: CampaignRow, tenant: TenantRow, upTo: number, now: number): Promise<WindowNow> {
  const { recipients } = deps;
  if (tenant.suspended) return { ...WIDE_OPEN, isOverrun: await isAnyInLane(deps, await recipients.queued(row._id, upTo)) };
  const window = windowNow(tenant, row.zones, now);
  if (window === null) return WIDE_OPEN;
  if (window.closed.length === 0) return { ...WIDE_OPEN, closesAt: window.closesAt };
  const late = (await recipients.queued(row._id, upTo)).filter(({ zone }) => window.isClosed(zone));
  const isOverrun = await isAnyInLane(deps, late);
  const open = await withPending(recipients, row._id, window.open);
  const shut = open.length > 0 ? null : await withPending(recipients, row._id, window.closed);
  const opensAt = window.opensAt(shut ?? window.closed);
  return { open, opensAt, closesAt: window.closesAt, isOverrun };
}

async function isAnyInLane({ campaignMessages }: SnapshotDeps, some: readonly { readonly _id: string }[]): Promise<boolean> {
  if (some.length === 0) return false;
  return (await campaignMessages.find(some.map(({ _id }) => _id))).some(({ status }) => status === 'queued');
}

async function withPending(recipients: Recipients, campaignId: string, zones: readonly string[]): Promise<readonly string[]> {
  const has = await Promise.all(zones.map((zone) => recipients.hasPending(campaignId, zone)));
  return zones.filter((_zone, nth) => has[nth]);
}
