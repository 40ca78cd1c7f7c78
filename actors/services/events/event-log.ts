import type { Clock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import type { EventInterests } from '../../../store/events/event-interests.ts';
import { type EventRow, type Events, sameness, UNPLACED } from '../../../store/events/events.ts';
import type { Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { Webhooks } from '../../../store/webhooks/webhooks.ts';
import { type Draft, type EventType, isOnlyForThoseWhoNameIt } from './types.ts';

export interface EventLogDeps {
  readonly events: Events;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly interests: Pick<EventInterests, 'list'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly clock: Clock;
  readonly keptMs: number;
  hint(tenantId: string): void;
}

export interface Recording {
  /** Whether the events may already be recorded. If so, look them up first: failing inserts cost more. */
  readonly again?: boolean;
}

/** The caller runs `writes` in order, then calls `stored`. Each write is idempotent. */
export interface EventWrites {
  readonly writes: readonly (() => Promise<unknown>)[];
  stored(): void;
}

export interface EventLog {
  /**
   * Skips an event that is recorded only for its subscribers if it has none. Idempotent: an event
   * is identified by its `row` and `type`.
   */
  record(tenantId: string, drafts: readonly Draft[], how?: Recording): Promise<void>;
  toRecord(tenantId: string, drafts: readonly Draft[], how?: Recording): Promise<EventWrites | null>;
  /** Whether the event has subscribers. Without any, skipping is cheaper than recording. */
  isWanted(tenantId: string, type: EventType): Promise<boolean>;
  /** Calls `listener` once for each event that this node stored. `listener` must not throw. */
  onNew(listener: (events: readonly EventRow[]) => void): void;
}

const ADDED_TOGETHER = 100;

export function createEventLog({ events, webhooks, interests, wakeups, clock, keptMs, hint }: EventLogDeps): EventLog {
  const listeners: ((events: readonly EventRow[]) => void)[] = [];

  async function missing(rows: readonly EventRow[]): Promise<readonly EventRow[]> {
    const there = await events.known(rows);
    return rows.filter((row) => !there.has(sameness(row)));
  }

  async function streamed(tenantId: string, types: readonly string[], now: number): Promise<ReadonlySet<string>> {
    return new Set(types.some(isOnlyForThoseWhoNameIt) ? await interests.list(tenantId, now) : []);
  }

  async function toRecord(tenantId: string, drafts: readonly Draft[], { again = false }: Recording = {}): Promise<EventWrites | null> {
    if (drafts.length === 0) return null;
    const now = clock.now();
    const named = new Set((await webhooks.list(tenantId)).flatMap((webhook) => webhook.events));
    const others = drafts.map(({ type }) => type).filter((type) => !named.has(type));
    const wants = await streamed(tenantId, others, now);
    const wanted = drafts.filter(({ type }) => named.has(type) || wants.has(type) || !isOnlyForThoseWhoNameIt(type));
    const rows = wanted.map((draft) => rowOf(tenantId, draft, !named.has(draft.type), { now, keptMs }));
    const fresh = again ? await missing(rows) : rows;
    // The process that stored the events may have died before it added the wakeup. Add it again.
    const wakes = rows.some(({ fanned }) => !fanned);
    const parts = inChunks(fresh, ADDED_TOGETHER);
    const added: (readonly EventRow[])[] = parts.map(() => []);
    const adding = parts.map((part, nth) => async () => {
      added[nth] = await events.add(part);
    });
    return {
      writes: wakes ? [...adding, () => wakeups.put(tenantId, now)] : adding,
      stored() {
        if (wakes) hint(tenantId);
        const all = added.flat();
        if (all.length > 0) for (const listener of listeners) listener(all);
      },
    };
  }

  return {
    toRecord,

    async record(tenantId, drafts, how) {
      const recorded = await toRecord(tenantId, drafts, how);
      if (!recorded) return;
      for (const write of recorded.writes) await write();
      recorded.stored();
    },

    async isWanted(tenantId, type) {
      if (!isOnlyForThoseWhoNameIt(type)) return true;
      const [hooks, streams] = await Promise.all([webhooks.list(tenantId), interests.list(tenantId, clock.now())]);
      return streams.includes(type) || hooks.some(({ events: named }) => named.includes(type));
    },

    onNew: (listener) => void listeners.push(listener),
  };
}

function rowOf(
  tenant_id: string,
  draft: Draft,
  fanned: boolean,
  { now, keptMs }: { readonly now: number; readonly keptMs: number },
): EventRow {
  return { _id: `evt_${newId(now)}`, tenant_id, ...draft, fanned, batch: UNPLACED, expires_at: now + keptMs };
}
