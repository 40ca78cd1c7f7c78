import type { Logger } from 'pino';
import type { EffectHandler, Self } from '../../../runtime/actor-system/actor.ts';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Lease } from '../../../runtime/cluster/port.ts';
import type { AuditDraft } from '../../../store/audit/entry.ts';
import { type CampaignStatus, skipReason } from '../../../store/campaigns/campaign-status.ts';
import type { CampaignCounts, CampaignOwner, CampaignPatch, CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { AuditTrail } from '../../services/audit/audit-trail.ts';
import type { Audiences } from '../../services/campaigns/audiences.ts';
import { emptyLanes, takeBack } from '../../services/campaigns/lanes.ts';
import { recipientOf, UNNAMED } from '../../services/campaigns/recipient-rows.ts';
import type { Live } from '../../services/live/live.ts';
import type { CampaignEffect, CampaignEvent, Snapshot, StatusChange } from '../protocol.ts';
import { failuresOf, loadSnapshot, type SnapshotDeps } from './load-snapshot.ts';
import { type ReleaseDeps, release } from './release-messages.ts';

export interface CampaignEffectsDeps extends SnapshotDeps, ReleaseDeps {
  readonly live: Pick<Live, 'emit'>;
  readonly audit: Pick<AuditTrail, 'act'>;
  readonly audiences: Audiences;
  planOf(tenantId: string): Promise<ReleasePlan>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly node: string;
}

type ReleasePlan = Parameters<typeof release>[1]['plan'];

const GATHERED_BATCH_SIZE = 1_000;
const SKIPPED_BATCH_SIZE = 1_000;
const ACTED: CampaignEvent = { type: 'acted', hasMoved: true, quotaRefused: 0 };

export class CampaignEffects implements EffectHandler<CampaignEffect> {
  readonly #deps: CampaignEffectsDeps;
  readonly #owner: CampaignOwner;
  readonly #self: Self<CampaignEvent>;
  readonly #lease: Lease;
  readonly #log: Logger;

  constructor(deps: CampaignEffectsDeps, owner: CampaignOwner, self: Self<CampaignEvent>, lease: Lease) {
    this.#deps = deps;
    this.#owner = owner;
    this.#self = self;
    this.#lease = lease;
    this.#log = deps.log.child({ tenant: owner.tenantId, campaign: owner.campaignId, epoch: owner.epoch });
  }

  perform(effect: CampaignEffect): void {
    switch (effect.do) {
      case 'loadSnapshot':
        return this.#then(this.#snapshot(effect), (snapshot) => (snapshot ? { type: 'snapshotLoaded', snapshot } : { type: 'fenced' }));
      case 'applyCommand':
        return this.#then(this.#applyCommand(effect.change, effect.audit), (row) => ({ type: 'commandApplied', row }));
      case 'gather':
        return this.#then(this.#gather(effect.row), (isFound) => (isFound ? ACTED : { type: 'audienceGone', row: effect.row }));
      case 'release':
        return this.#then(this.#release(effect.row, effect.limit, effect.zones), (refused) => ({
          type: 'acted',
          hasMoved: refused !== null,
          quotaRefused: refused ?? 0,
        }));
      case 'changeStatus':
        return this.#act(this.#changeStatus(effect.change, effect.isFinal));
      case 'save':
        return this.#act(this.#write(effect.status, effect.patch));
      case 'wait':
        return this.#act(this.#wait(effect.until));
      case 'takeBack':
        return this.#act(takeBack(this.#deps, effect.row));
      case 'conclude':
        return this.#act(this.#conclude(effect.row, false));
      default:
        unreachable(effect);
    }
  }

  async #snapshot(order: { readonly count: boolean; readonly compare: boolean; readonly upTo: number }): Promise<Snapshot | null> {
    const { tenantId, campaignId, epoch } = this.#owner;
    const snapshot = await loadSnapshot(this.#deps, tenantId, campaignId, order, this.#now());
    if (snapshot?.row.epoch !== epoch) return null;
    const { counts, row } = snapshot;
    if (counts && hasMoved(row, counts)) {
      await this.#write(row.status, counts);
      this.#emitProgress({ ...row, ...counts });
    }
    return snapshot;
  }

  async #applyCommand(change: StatusChange, audit: AuditDraft | null): Promise<CampaignRow | null> {
    const resumed = change.move.to.status === 'running' ? await this.#lift() : {};
    const write = (): Promise<CampaignRow | null> => this.#move({ ...change, patch: { ...change.patch, ...resumed } });
    const row = await (audit ? this.#deps.audit.act(audit, { collection: 'campaigns' }, write) : write());
    return row && this.#changed(row);
  }

  /** Forgets earlier failures, because a sender who resumes the campaign has fixed their cause. */
  async #lift(): Promise<Pick<CampaignPatch, 'failures_seen'>> {
    const { campaigns, routes } = this.#deps;
    const row = await campaigns.find(this.#owner.tenantId, this.#owner.campaignId);
    if (row?.status !== 'paused') return {};
    await routes.lift(row, this.#now());
    return row.official ? { failures_seen: (await failuresOf(this.#deps, row)).failures } : {};
  }

  async #changeStatus({ move, patch }: StatusChange, isFinal: boolean): Promise<void> {
    const counts = isFinal ? await this.#deps.recipients.counts(this.#owner.campaignId, move.to.status) : {};
    const row = await this.#move({ move, patch: { ...patch, ...counts } });
    if (row) await this.#changed(row);
  }

  #changed(row: CampaignRow): CampaignRow | Promise<CampaignRow> {
    return row.status === 'running' ? row : this.#conclude(row, true);
  }

  async #gather(row: CampaignRow): Promise<boolean> {
    const { audiences, recipients, campaigns } = this.#deps;
    const { audience, exclude_tag_ids = [], gathering, tenant_id, _id } = row;
    const now = this.#now();
    const nobody = { phones: [], next: null, isGone: false };
    const from = { afterId: gathering ?? '', limit: GATHERED_BATCH_SIZE };
    const found = audience ? await audiences.read(tenant_id, audience, exclude_tag_ids, from, now) : nobody;
    if (found.isGone) return false;
    const rows = found.phones.map((phone) => recipientOf(row, phone, UNNAMED, now));
    const zones = [...new Set(rows.map(({ zone }) => zone))];
    // Record the zones first. Recipients in an unrecorded zone would never be selected.
    if (zones.some((zone) => !row.zones.includes(zone))) await campaigns.noteZones(tenant_id, _id, zones);
    await recipients.add(rows);
    await this.#write('running', { gathering: found.next });
    return true;
  }

  async #release(row: CampaignRow, limit: number, zones: readonly string[] | null): Promise<number | null> {
    const now = this.#now();
    const [plan, { ready }] = await Promise.all([this.#deps.planOf(row.tenant_id), this.#deps.routes.of(row, now)]);
    if (row.resumes_at !== null) await this.#write('running', { resumes_at: null, due_at: now });
    if (ready.length === 0) return null;
    return release(this.#deps, { row, plan, devices: ready, zones, limit }, () => this.#lease.isSafe(), now);
  }

  async #wait(until: number): Promise<void> {
    const row = await this.#write('running', { resumes_at: until, due_at: until });
    if (row) this.#emit(row, { type: 'blast.waiting', data: { blast_id: row._id, resumes_at: until } });
  }

  /** Skips recipients in batches. Only the last batch updates the counts, unless `mustCount` is set. */
  async #conclude(row: CampaignRow, mustCount: boolean): Promise<CampaignRow> {
    const { recipients } = this.#deps;
    await emptyLanes(this.#deps, row);
    const reason = skipReason(row);
    const isMore = reason !== null && (await recipients.skipPending(row._id, reason, SKIPPED_BATCH_SIZE));
    if (isMore && !mustCount) return row;
    const counts = await recipients.counts(row._id, row.status);
    const told = (await this.#write(row.status, { ...counts, due_at: isMore ? row.due_at : null })) ?? row;
    if (row.due_at !== null) this.#emitEnd(told);
    return told;
  }

  #emitProgress(row: CampaignRow): void {
    const { sent_count: sent, failed_count: failed, skipped_count: skipped, total_recipients: total } = row;
    this.#emit(row, { type: 'blast.progress', data: { blast_id: row._id, sent, failed, skipped, total } });
  }

  #emitEnd(row: CampaignRow): void {
    this.#emitProgress(row);
    const { sent_count: sent, failed_count: failed, skipped_count: skipped } = row;
    if (row.status === 'paused')
      this.#emit(row, { type: 'blast.paused', data: { blast_id: row._id, reason: row.pause_reason ?? 'requested' } });
    if (row.status === 'completed') this.#emit(row, { type: 'blast.completed', data: { blast_id: row._id, sent, failed, skipped } });
  }

  #emit(row: CampaignRow, event: Parameters<Live['emit']>[2]): void {
    this.#deps.live.emit(row.tenant_id, row.session_id, event);
  }

  #move({ move, patch }: StatusChange): Promise<CampaignRow | null> {
    return this.#deps.campaigns.move(this.#owner, move, patch);
  }

  #write(status: CampaignStatus, patch: CampaignPatch): Promise<CampaignRow | null> {
    return this.#deps.campaigns.write(this.#owner, status, patch);
  }

  #act(work: Promise<unknown>): void {
    this.#then(work, () => ACTED);
  }

  #then<T>(work: Promise<T>, received: (result: T) => CampaignEvent): void {
    work.then(
      (result) => this.#self.receive(received(result)),
      (cause) => {
        this.#log.error({ event: 'campaign.store_error', err: cause }, 'campaign: store error');
        this.#self.receive({ type: 'storeFailed' });
      },
    );
  }

  #now(): number {
    return this.#deps.clock.now();
  }
}

const hasMoved = (row: CampaignCounts, counts: CampaignCounts): boolean =>
  COUNTS.some((count) => (row[count] ?? 0) !== (counts[count] ?? 0));

const COUNTS = [
  'total_recipients',
  'sent_count',
  'failed_count',
  'skipped_count',
  'delivered_count',
  'read_count',
  'replied_count',
  'opted_out_count',
] as const satisfies readonly (keyof CampaignCounts)[];
