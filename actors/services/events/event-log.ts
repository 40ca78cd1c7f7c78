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
  /** Event types that live streams and pull readers have recently named. */
  readonly interests: Pick<EventInterests, 'list'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly clock: Clock;
  /** Retention of events for pull readers, ms. */
  readonly keptMs: number;
  /** Makes the tenant's actor check at once. A lost hint does no harm. */
  hint(tenantId: string): void;
}

export interface Recording {
  /** Whether some events may already be recorded; they are then looked up first, because failed inserts cost more. */
  readonly again?: boolean;
}

/** Run `writes` in order, then call `stored`. Each write starts synchronously and is idempotent. */
export interface EventWrites {
  readonly writes: readonly (() => Promise<unknown>)[];
  stored(): void;
}

/**
 * The log of events of all tenants, each recorded once. Events are stored in `events`, tenants with
 * undelivered webhook events in `wakeups`.
 */
export interface EventLog {
  /**
   * Drops opt-in events that no webhook, live stream or pull reader has subscribed to. Webhook
   * deliveries are durable before listeners are notified. Idempotent by `row` and `type`.
   */
  record(tenantId: string, drafts: readonly Draft[], how?: Recording): Promise<void>;
  /** Returns the writes for the caller to run; null if there is nothing to store. */
  toRecord(tenantId: string, drafts: readonly Draft[], how?: Recording): Promise<EventWrites | null>;
  /** Whether the event has subscribers. Checking first is cheaper than recording an event without any. */
  isWanted(tenantId: string, type: EventType): Promise<boolean>;
  /** Calls `listener` once for each event that this node records, after it is stored. `listener` must not throw. */
  onNew(listener: (events: readonly EventRow[]) => void): void;
}

const ADDED_TOGETHER = 100;

export function createEventLog({ events, webhooks, interests, wakeups, clock, keptMs, hint }: EventLogDeps): EventLog {
  const listeners: ((events: readonly EventRow[]) => void)[] = [];

  async function missing(rows: readonly EventRow[]): Promise<readonly EventRow[]> {
    const there = await events.known(rows);
    return rows.filter((row) => !there.has(sameness(row)));
  }

  /** Queries the store only if one of `types` is opt-in. */
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
    // Always add the wakeup: the process that stored the events may have died before adding it.
    const wakes = rows.some(({ fanned }) => !fanned);
    const parts = inChunks(fresh, ADDED_TOGETHER);
    // Indexed by part, because parts may be stored concurrently.
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
