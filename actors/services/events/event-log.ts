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
  /** As they are stored: what they name is all that counts. */
  readonly webhooks: Pick<Webhooks, 'list'>;
  /** What live streams and readers of the log named lately. */
  readonly interests: Pick<EventInterests, 'list'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly clock: Clock;
  /** How long events are kept for those who pull, ms. */
  readonly keptMs: number;
  /** The tenant has events to deliver: its actor may look at once. Losing the hint loses nothing. */
  hint(tenantId: string): void;
}

export interface Recording {
  /** Some may be recorded already: looked up before, which is cheaper than to be refused. */
  readonly again?: boolean;
}

/** Each write begins before it first waits, and may be done again. */
export interface EventWrites {
  readonly writes: readonly (() => Promise<unknown>)[];
  stored(): void;
}

/** Where everything that happens to a tenant is recorded, once. */
export interface EventLog {
  /**
   * Stores what is not there yet, then sees to it that webhooks get it, wherever this process may die; then tells the hearers. Events that are
   * only for those who name them are dropped where no webhook, no live stream and no reader does. Idempotent by `row` and `type`.
   */
  record(tenantId: string, drafts: readonly Draft[], how?: Recording): Promise<void>;
  /** The same, as writes that belong together, in this order, and what follows once they are stored. Null: nothing is to be stored. */
  toRecord(tenantId: string, drafts: readonly Draft[], how?: Recording): Promise<EventWrites | null>;
  /** Would an event of this type be recorded now? Cheaper than recording an event that no webhook names. */
  isWanted(tenantId: string, type: EventType): Promise<boolean>;
  /** Learns of events of all tenants that this node recorded, once each, after they are stored. Must not throw. */
  onNew(listener: (events: readonly EventRow[]) => void): void;
}

const ADDED_TOGETHER = 100;

export function createEventLog({ events, webhooks, interests, wakeups, clock, keptMs, hint }: EventLogDeps): EventLog {
  const listeners: ((events: readonly EventRow[]) => void)[] = [];

  async function missing(rows: readonly EventRow[]): Promise<readonly EventRow[]> {
    const there = await events.known(rows);
    return rows.filter((row) => !there.has(sameness(row)));
  }

  /** What of `types` live streams want beside webhooks: asked only where that decides about something. */
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
    // On the wakeups even where all were there: the process that stored them may have died before it said so.
    const wakes = rows.some(({ fanned }) => !fanned);
    const parts = inChunks(fresh, ADDED_TOGETHER);
    // By part: all of them may be on their way at once.
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
