import type { Logger } from 'pino';
import type { Hands, Self } from '../../runtime/actor.ts';
import { unreachable } from '../../runtime/behaviour.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Lease } from '../../runtime/cluster/port.ts';
import type { BlastOwner, BlastPatch, BlastRow, BlastStatus } from '../../store/blasts.ts';
import type { Live } from '../stream/live.ts';
import type { Audiences } from './audiences.ts';
import { recipientOf, UNNAMED } from './gather.ts';
import { type LookPorts, lookAround } from './look.ts';
import type { Action, BlastEffect, BlastEvent, Order, Survey } from './protocol.ts';
import { type ReleasePorts, release } from './release.ts';

/** What a campaign needs of the world. */
export interface BlastPorts extends LookPorts, ReleasePorts {
  readonly live: Pick<Live, 'emit'>;
  readonly audiences: Audiences;
  /** What the tenant's plan allows now. */
  planOf(tenantId: string): Promise<ReleasePlan>;
  /** Must somebody say that recipients agreed before a campaign starts? */
  requiresAttestation(tenantId: string): Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The name under which this node owns campaigns. */
  readonly node: string;
}

type ReleasePlan = Parameters<typeof release>[1]['plan'];

const GATHERED_AT_ONCE = 1_000;
const TAKEN_BACK_AT_ONCE = 1_000;

/** From which status each order is possible (api.md "State machines"). */
const FROM: Readonly<Record<Order['type'], readonly BlastStatus[]>> = {
  start: ['draft'],
  pause: ['running'],
  resume: ['paused'],
  cancel: ['draft', 'running', 'paused'],
};

/** Carries out what one campaign decided. One incarnation, one owner, one epoch; one thing at a time. */
export class BlastHands implements Hands<BlastEffect> {
  readonly #ports: BlastPorts;
  readonly #owner: BlastOwner;
  readonly #self: Self<BlastEvent>;
  readonly #lease: Lease;
  readonly #log: Logger;

  constructor(ports: BlastPorts, owner: BlastOwner, self: Self<BlastEvent>, lease: Lease) {
    this.#ports = ports;
    this.#owner = owner;
    this.#self = self;
    this.#lease = lease;
    this.#log = ports.log.child({ tenant: owner.tenantId, blast: owner.blastId, epoch: owner.epoch });
  }

  perform(effect: BlastEffect): void {
    if (!this.#lease.isSafe()) return this.#self.hear({ type: 'fenced' });
    switch (effect.do) {
      case 'survey':
        return this.#then(this.#survey(effect), (survey) => (survey ? { type: 'surveyed', survey } : { type: 'fenced' }));
      case 'obey':
        return this.#then(this.#obey(effect.order, effect.attestedAt), (row) => ({ type: 'obeyed', row }));
      case 'act':
        return this.#then(this.#act(effect.action, effect.row), (moved) => ({ type: 'acted', hasMoved: moved !== false }));
      default:
        unreachable(effect);
    }
  }

  async #survey(order: { readonly count: boolean; readonly compare: boolean; readonly upTo: number }): Promise<Survey | null> {
    const { tenantId, blastId, epoch } = this.#owner;
    const survey = await lookAround(this.#ports, tenantId, blastId, order, this.#now());
    if (survey?.row.epoch !== epoch) return null;
    const { counts, row } = survey;
    if (counts && hasMoved(row, counts)) {
      await this.#write([row.status], counts);
      this.#emitProgress({ ...row, ...counts });
    }
    return survey;
  }

  async #obey(order: Order['type'], attestedAt: number | null): Promise<BlastRow | null> {
    const row = await this.#write(FROM[order], this.#patchOf(order, attestedAt));
    if (!row) return null;
    if (order === 'pause' || order === 'cancel') return this.#conclude(row);
    return row;
  }

  /** Set due, so that whoever comes after a crash finishes what follows from it. */
  #patchOf(order: Order['type'], attestedAt: number | null): BlastPatch {
    const now = this.#now();
    switch (order) {
      case 'start':
        return {
          status: 'running',
          started_at: now,
          due_at: now,
          error: null,
          ...(attestedAt !== null && { consent_attested_at: attestedAt }),
        };
      case 'pause':
        return { status: 'paused', pause_reason: 'requested', resumes_at: null, due_at: now };
      case 'resume':
        return { status: 'running', pause_reason: null, due_at: now };
      case 'cancel':
        return { status: 'cancelled', completed_at: now, resumes_at: null, due_at: now };
      default:
        return unreachable(order);
    }
  }

  async #act(action: Action, row: BlastRow): Promise<unknown> {
    const now = this.#now();
    switch (action.act) {
      case 'begin':
        return this.#begin(row, now);
      case 'gather':
        return this.#gather(row, now);
      case 'release':
        return this.#release(row, action.limit, action.zones, now);
      case 'wait':
        return this.#wait(action.until);
      case 'clear':
        return this.#takeBack(row);
      case 'pause':
        return this.#end(row, { status: 'paused', pause_reason: action.reason, resumes_at: null, due_at: now });
      case 'fail':
        return this.#fail(row, action.error, now);
      case 'complete':
        return this.#complete(row, now);
      case 'conclude':
        return this.#conclude(row);
      default:
        return unreachable(action);
    }
  }

  /** Nobody is there to attest: where that is wanted by now, it stays a draft, and says why. */
  async #begin({ tenant_id, consent_attested_at }: BlastRow, now: number): Promise<unknown> {
    const lacksWord = consent_attested_at === null && (await this.#ports.requiresAttestation(tenant_id));
    const begun: BlastPatch = { status: 'running', started_at: now, due_at: now };
    return this.#write(['draft'], lacksWord ? { scheduled_at: null, due_at: null, error: 'consent_attestation_required' } : begun);
  }

  async #gather(row: BlastRow, now: number): Promise<void> {
    const { audiences, recipients, blasts } = this.#ports;
    const { audience, gathering, tenant_id, _id } = row;
    const nobody = { phones: [], next: null, isGone: false };
    const found = audience ? await audiences.read(tenant_id, audience, gathering ?? '', GATHERED_AT_ONCE, now) : nobody;
    // Later it goes on with those it has.
    if (found.isGone && gathering === '') return this.#fail(row, 'no_audience', now);
    const rows = found.phones.map((phone) => recipientOf(row, phone, UNNAMED, now));
    const zones = [...new Set(rows.map(({ zone }) => zone))];
    // First: somebody in a zone that is not noted would never have their turn.
    if (zones.some((zone) => !row.zones.includes(zone))) await blasts.noteZones(tenant_id, _id, zones);
    await recipients.add(rows);
    await this.#write(['running'], { gathering: found.next });
  }

  async #release(row: BlastRow, limit: number, zones: readonly string[] | null, now: number): Promise<boolean> {
    const [plan, { ready }] = await Promise.all([this.#ports.planOf(row.tenant_id), this.#ports.routes.of(row, now)]);
    if (row.resumes_at !== null) await this.#write(['running'], { resumes_at: null, due_at: now });
    if (ready.length === 0) return false;
    return release(this.#ports, { row, plan, devices: ready, zones, limit }, () => this.#lease.isSafe(), now);
  }

  async #wait(until: number): Promise<void> {
    const row = await this.#write(['running'], { resumes_at: until, due_at: until });
    if (row) this.#emit(row, { type: 'blast.waiting', data: { blast_id: row._id, resumes_at: until } });
  }

  /** Nobody is left to come out any other way: whoever sees that it is over sees what it came to. */
  async #complete(row: BlastRow, now: number): Promise<void> {
    const counts = await this.#ports.recipients.counts(row._id);
    return this.#end(row, { status: 'completed', ...counts, completed_at: now, resumes_at: null, due_at: now });
  }

  #fail(row: BlastRow, error: string, now: number): Promise<void> {
    return this.#end(row, { status: 'failed', error, completed_at: now, resumes_at: null, due_at: now });
  }

  async #end(row: BlastRow, patch: BlastPatch): Promise<void> {
    const ended = await this.#write([row.status], patch);
    if (ended) await this.#conclude(ended);
  }

  /** It runs no more: its lanes are emptied, and what it came to is counted and told. */
  async #conclude(row: BlastRow): Promise<BlastRow> {
    const { recipients } = this.#ports;
    await this.#takeBack(row);
    if (row.status === 'cancelled') await recipients.skipPending(row._id, 'cancelled');
    const counts = await recipients.counts(row._id);
    const told = (await this.#write([row.status], { ...counts, due_at: null })) ?? row;
    if (row.due_at !== null) this.#emitEnd(told);
    return told;
  }

  /** Messages that no device has claimed come back out of the lanes. */
  async #takeBack(row: BlastRow): Promise<void> {
    const { recipients, blastMessages, quota } = this.#ports;
    const waiting = (await recipients.queued(row._id, TAKEN_BACK_AT_ONCE)).map(({ _id }) => _id);
    const back = await blastMessages.withdraw(waiting);
    await recipients.takenBack(back.map(({ _id }) => _id));
    for (const [month, rows] of Map.groupBy(back, ({ quota_month }) => quota_month))
      if (month !== null) await quota.giveBack(row.tenant_id, month, rows.length);
  }

  #emitProgress(row: BlastRow): void {
    const { sent_count: sent, failed_count: failed, skipped_count: skipped, total_recipients: total } = row;
    this.#emit(row, { type: 'blast.progress', data: { blast_id: row._id, sent, failed, skipped, total } });
  }

  #emitEnd(row: BlastRow): void {
    const { sent_count: sent, failed_count: failed, skipped_count: skipped } = row;
    if (row.status === 'paused')
      this.#emit(row, { type: 'blast.paused', data: { blast_id: row._id, reason: row.pause_reason ?? 'requested' } });
    if (row.status === 'completed') this.#emit(row, { type: 'blast.completed', data: { blast_id: row._id, sent, failed, skipped } });
  }

  #emit(row: BlastRow, event: Parameters<Live['emit']>[2]): void {
    this.#ports.live.emit(row.tenant_id, row.session_id, event);
  }

  #write(from: readonly BlastStatus[], patch: BlastPatch): Promise<BlastRow | null> {
    return this.#ports.blasts.write(this.#owner, from, patch);
  }

  #then<T>(work: Promise<T>, heard: (result: T) => BlastEvent): void {
    work.then(
      (result) => this.#self.hear(heard(result)),
      (cause) => {
        this.#log.error({ err: cause }, 'the store failed a campaign');
        this.#self.hear({ type: 'storeFailed' });
      },
    );
  }

  #now(): number {
    return this.#ports.clock.now();
  }
}

type Counts = Pick<BlastRow, 'sent_count' | 'failed_count' | 'skipped_count' | 'total_recipients'>;

const hasMoved = (row: Counts, counts: Counts): boolean =>
  row.sent_count !== counts.sent_count ||
  row.failed_count !== counts.failed_count ||
  row.skipped_count !== counts.skipped_count ||
  row.total_recipients !== counts.total_recipients;
