import type { Clock } from '../../runtime/clock.ts';
import { newId } from '../../runtime/ids.ts';
import type { Agenda } from '../../store/agenda.ts';
import { type EventRow, type Events, sameness, UNPLACED } from '../../store/events.ts';
import type { Webhooks } from '../../store/webhooks.ts';
import { type Draft, isOnlyForThoseWhoNameIt } from './types.ts';

export interface EventLogPorts {
  readonly events: Events;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly agenda: Pick<Agenda, 'put'>;
  readonly clock: Clock;
  /** The tenant has events to deliver: its actor may look at once. Losing the hint loses nothing. */
  hint(tenantId: string): void;
}

export interface Recording {
  /** Some may be recorded already: looked up before, which is cheaper than to be refused. */
  readonly again?: boolean;
}

/** Where everything that happens to a tenant is recorded, once. */
export interface EventLog {
  /**
   * Stores what is not there yet, then sees to it that webhooks get it, wherever this process may die; then tells the hearers. Events that are
   * only for those who name them are dropped where no webhook does. Idempotent by `row` and `type`.
   */
  record(tenantId: string, drafts: readonly Draft[], how?: Recording): Promise<void>;
  /** Hears of events of all tenants that this node recorded, once each, after they are stored. Must not throw. */
  onNew(hear: (events: readonly EventRow[]) => void): void;
}

/** Kept so long for those who pull. */
const KEPT_MS = 86_400_000;

export function createEventLog({ events, webhooks, agenda, clock, hint }: EventLogPorts): EventLog {
  const hearers: ((events: readonly EventRow[]) => void)[] = [];

  async function missing(rows: readonly EventRow[]): Promise<readonly EventRow[]> {
    const there = await events.known(rows);
    return rows.filter((row) => !there.has(sameness(row)));
  }

  return {
    async record(tenantId, drafts, { again = false } = {}) {
      if (drafts.length === 0) return;
      const now = clock.now();
      const named = new Set((await webhooks.list(tenantId)).flatMap((webhook) => webhook.events));
      const wanted = drafts.filter(({ type }) => named.has(type) || !isOnlyForThoseWhoNameIt(type));
      const rows = wanted.map((draft) => rowOf(tenantId, draft, !named.has(draft.type), now));
      const added = await events.add(again ? await missing(rows) : rows);
      // On the agenda even where all were there: the process that stored them may have died before it said so.
      if (rows.some(({ fanned }) => !fanned)) {
        await agenda.put(tenantId, now);
        hint(tenantId);
      }
      if (added.length > 0) for (const hear of hearers) hear(added);
    },

    onNew: (hear) => void hearers.push(hear),
  };
}

function rowOf(tenant_id: string, draft: Draft, fanned: boolean, now: number): EventRow {
  return { _id: `evt_${newId(now)}`, tenant_id, ...draft, fanned, batch: UNPLACED, expires_at: now + KEPT_MS };
}
