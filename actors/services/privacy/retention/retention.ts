import { CLAIM_MS, renewClaim } from '../../../../runtime/claims.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { newId } from '../../../../runtime/ids.ts';
import type { AuditLog } from '../../../../store/audit/audit-log.ts';
import type { Devices } from '../../../../store/devices/devices.ts';
import type { MediaRows } from '../../../../store/media/media.ts';
import type { Holds } from '../../../../store/privacy/holds.ts';
import {
  KEPT_FOR_EVER,
  RETAINED,
  type Retained,
  type Retention,
  type RetentionDays,
  type RetentionRow,
  type RetentionRun,
} from '../../../../store/privacy/retention.ts';
import type { StoreLinks } from '../../../../store/store-links/links.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { systemDraft } from '../../audit/audit-trail.ts';
import type { FormsOf } from '../../identities/forms.ts';
import type { MediaLibrary } from '../../media/library.ts';
import type { Collections } from '../person.ts';
import { takeTurns } from '../round-robin.ts';
import { type Context, countLeft, filesInUse, heldPeople, SLICES, type Slice } from './slices.ts';

/**
 * Removes messages, files, webhooks and audit entries that are older than the tenant's retention
 * periods. Settings, claims and progress are in `privacy_retention`. If a period is shortened, this
 * takes effect after a day. Data that is covered by a legal hold is not removed.
 */

export interface RetentionDeps {
  readonly retention: Retention;
  readonly holds: Pick<Holds, 'held' | 'ofTenant'>;
  readonly formsOf: FormsOf;
  readonly devices: Pick<Devices, 'everIds' | 'removedIds'>;
  readonly links: Pick<StoreLinks, 'list'>;
  readonly mediaRows: Pick<MediaRows, 'oldest'>;
  readonly media: Pick<MediaLibrary, 'erase' | 'giveBack'>;
  readonly auditLog: Pick<AuditLog, 'after' | 'count' | 'cut'>;
  readonly audit: Pick<AuditTrail, 'record'>;
  readonly collections: Collections;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  hashOf(tenantId: string, phone: string): string;
  failed(cause: unknown): void;
}

export interface RetentionSettings {
  readonly retention_days: RetentionDays;
  readonly keep_disappearing: boolean;
  readonly last_run: RetentionRow['last_run'];
  readonly pending: { readonly retention_days: RetentionDays; readonly effective_at: number } | null;
}

export interface Retaining {
  settings(tenantId: string, now: number): Promise<RetentionSettings>;
  /** Shorter periods take effect after a day and, like `keepDisappearing`, require `expectStepUp`. */
  change(
    tenantId: string,
    days: Partial<RetentionDays>,
    now: number,
    expectStepUp: () => void,
    keepDisappearing?: boolean,
  ): Promise<RetentionSettings>;
  preview(tenantId: string, days: Partial<RetentionDays>, now: number): Promise<Partial<Record<Retained, number>>>;
  runDue(now: number): Promise<void>;
  runAll(now: number): Promise<void>;
}

const DAY_MS = 86_400_000;
const HELD_MS = 3_600_000;
const PARALLEL = 2;

/** Files first, because a file that is removed together with its message is not counted. */
const IN_ORDER: readonly Retained[] = ['media', 'messages', 'webhooks', 'audit'];

const NOTHING: RetentionRun['removed'] = { messages: 0, media: 0, webhooks: 0, audit: 0 };
const added = (removed: RetentionRun['removed'], kind: Retained, count: number): RetentionRun['removed'] => ({
  ...removed,
  [kind]: removed[kind] + count,
});

export const isShorter = (days: number, before: number): boolean => days !== 0 && (before === 0 || days < before);
const someShorter = (days: RetentionDays, before: RetentionDays): boolean => RETAINED.some((kind) => isShorter(days[kind], before[kind]));

export function daysAt(row: Pick<RetentionRow, 'days' | 'pending'> | null, now: number): RetentionDays {
  if (!row) return KEPT_FOR_EVER;
  return row.pending && row.pending.effective_at <= now ? row.pending.days : row.days;
}

/** The time before which a tenant's messages are removed; 0 if they are kept forever. */
export const messagesKeptSince =
  ({ retention, clock }: { readonly retention: Pick<Retention, 'find'>; readonly clock: Pick<Clock, 'now'> }) =>
  async (tenantId: string): Promise<number> => {
    const now = clock.now();
    const { messages: days } = daysAt(await retention.find(tenantId), now);
    return days === 0 ? 0 : now - days * DAY_MS;
  };

const daysAhead = (row: Pick<RetentionRow, 'days' | 'pending'> | null): RetentionDays => row?.pending?.days ?? row?.days ?? KEPT_FOR_EVER;

export function changed(
  row: Pick<RetentionRow, 'days' | 'pending'> | null,
  asked: Partial<RetentionDays>,
  now: number,
): Pick<RetentionRow, 'days' | 'pending'> {
  const current = daysAt(row, now);
  const waiting = row?.pending && row.pending.effective_at > now ? row.pending : null;
  const wanted: RetentionDays = { ...daysAhead(row), ...asked };
  const longest = (kind: Retained): number => (isShorter(wanted[kind], current[kind]) ? current[kind] : wanted[kind]);
  const days: RetentionDays = {
    messages: longest('messages'),
    media: longest('media'),
    webhooks: longest('webhooks'),
    audit: longest('audit'),
  };
  if (!someShorter(wanted, days)) return { days, pending: null };
  const effective_at = waiting && !someShorter(wanted, waiting.days) ? waiting.effective_at : now + DAY_MS;
  return { days, pending: { days: wanted, effective_at } };
}

async function* slicesOf(
  context: Context,
  days: Partial<RetentionDays>,
  now: number,
): AsyncGenerator<{ readonly kind: Retained; readonly slice: Slice }, void> {
  for (const kind of IN_ORDER) {
    const period = days[kind] ?? 0;
    if (period > 0) for await (const slice of SLICES[kind](context, now - period * DAY_MS)) if (slice.ids.length > 0) yield { kind, slice };
  }
}

interface Run {
  readonly slices: AsyncGenerator<void, void>;
  endClaim(): Promise<void>;
}

export function createRetaining(deps: RetentionDeps): Retaining {
  const { retention, holds, audit, clock } = deps;
  const runs = new Map<string, Run>();

  function shown(row: RetentionRow | null, now: number): RetentionSettings {
    const isWaiting = row?.pending && row.pending.effective_at > now;
    const pending = isWaiting ? { retention_days: row.pending.days, effective_at: row.pending.effective_at } : null;
    const keep_disappearing = row?.keep_disappearing ?? false;
    return { retention_days: daysAt(row, now), keep_disappearing, last_run: row?.last_run ?? null, pending };
  }

  async function contextOf(tenantId: string, now: number): Promise<Context> {
    const [sessions, removed] = await Promise.all([deps.devices.everIds(tenantId), deps.devices.removedIds(tenantId)]);
    return {
      ...deps,
      tenantId,
      sessions,
      removed,
      linkIds: (await deps.links.list(tenantId)).map(({ _id }) => _id),
      inUse: (keys) => filesInUse({ collections: deps.collections, tenantId, sessions }, keys),
      held: async () => heldPeople(deps, tenantId, await holds.held(tenantId, now)),
    };
  }

  /** Continues the run of a process that died, and adds the removals of its last part to the count. */
  async function begunRun({ run }: RetentionRow, now: number): Promise<RetentionRun> {
    if (!run) return { id: newId(now), removed: NOTHING, part: null };
    if (!run.part) return run;
    const { kind, ids } = run.part;
    return { ...run, removed: added(run.removed, kind, ids.length - (await countLeft(deps, run.part))), part: null };
  }

  async function* running(row: RetentionRow, now: number, endClaim: () => Promise<void>): AsyncGenerator<void, void> {
    const { _id: tenantId } = row;
    let run = await begunRun(row, now);
    for await (const { kind, slice } of slicesOf(await contextOf(tenantId, now), daysAt(row, now), now)) {
      const { collection, ids, isAside, remove } = slice;
      if (!(await retention.note(row, { ...run, part: isAside ? null : { kind, collection, ids } }))) return;
      const count = await remove();
      if (!isAside) run = { ...run, removed: added(run.removed, kind, count) };
      yield;
      if (await holds.ofTenant(tenantId, now)) {
        await endClaim();
        await retention.note(row, run);
        return retention.release(row, now + HELD_MS);
      }
    }
    if (!(await retention.note(row, run))) return;
    await noted(tenantId, run, now);
    await endClaim();
    await retention.ran(row, { at: now, removed: run.removed }, Math.min(now + DAY_MS, nextChange(row, now)));
  }

  const nextChange = ({ pending }: RetentionRow, now: number): number =>
    pending && pending.effective_at > now ? pending.effective_at : Number.POSITIVE_INFINITY;

  async function noted(tenantId: string, { id, removed }: RetentionRun, now: number): Promise<void> {
    const changes = RETAINED.filter((kind) => removed[kind] > 0).map((kind) => ({ field: kind, from: removed[kind], to: 0 }));
    if (changes.length === 0) return;
    await audit.record({ ...systemDraft(tenantId, 'privacy.retention', { kind: 'tenant', id: tenantId }, now, { changes }), id });
  }

  async function step(tenantId: string, now: number): Promise<boolean> {
    let run = runs.get(tenantId);
    if (!run) {
      const row = await retention.claim(tenantId, now, Math.max(now, clock.now()) + CLAIM_MS);
      if (!row) return false;
      if (await holds.ofTenant(tenantId, now)) {
        await retention.release(row, now + HELD_MS);
        return false;
      }
      const endClaim = renewClaim(clock, (until) => retention.renew(row, until));
      run = { slices: running(row, now, endClaim), endClaim };
      runs.set(tenantId, run);
    }
    try {
      if ((await run.slices.next()).done !== true) return true;
    } catch (cause) {
      deps.failed(cause);
    }
    await run.endClaim();
    runs.delete(tenantId);
    return false;
  }

  const turns = takeTurns(step, PARALLEL, deps.failed);

  return {
    settings: async (tenantId, now) => shown(await retention.find(tenantId), now),

    async change(tenantId, asked, now, expectStepUp, keep) {
      for (;;) {
        const row = await retention.find(tenantId);
        const ahead = daysAhead(row);
        const isKeepNew = keep !== undefined && keep !== (row?.keep_disappearing ?? false);
        if (isKeepNew || someShorter({ ...ahead, ...asked }, ahead)) expectStepUp();
        const next = changed(row, asked, now);
        const dueAt = Math.min(row?.due_at ?? now + DAY_MS, next.pending?.effective_at ?? now + DAY_MS);
        if (await retention.save(tenantId, row?.rev ?? 0, { ...next, due_at: dueAt, ...(isKeepNew && { keep_disappearing: keep }) }))
          return shown(await retention.find(tenantId), now);
      }
    },

    async preview(tenantId, days, now) {
      const context = await contextOf(tenantId, now);
      const counts: Partial<Record<Retained, number>> = {};
      for (const kind of RETAINED) if (days[kind] !== undefined) counts[kind] = 0;
      for await (const { kind, slice } of slicesOf(context, days, now))
        if (!slice.isAside) counts[kind] = (counts[kind] ?? 0) + slice.ids.length;
      return counts;
    },

    runDue: async (now) => turns.run(await retention.due(now), now),
    async runAll(now) {
      await retention.makeDue(now);
      await turns.run(await retention.due(now), now);
    },
  };
}
