import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import type { EventLog, EventWrites } from './event-log.ts';
import { eventsOf, hasHistory } from './message-events.ts';

export function recordEvents(log: Pick<EventLog, 'toRecord'>, now: () => number): OutboxHandler {
  async function recorded(rows: readonly MessageRow[], again: boolean): Promise<readonly EventWrites[]> {
    const byTenant = [...Map.groupBy(rows, ({ tenant_id }) => tenant_id)];
    const all = byTenant.map(([tenantId, own]) => {
      const drafts = own.flatMap((row) => eventsOf(row, now()));
      return log.toRecord(tenantId, drafts, { again });
    });
    return (await Promise.all(all)).filter((one) => one !== null);
  }

  return {
    name: 'events',
    async plan(rows) {
      const fresh = await recorded(
        rows.filter((row) => !hasHistory(row)),
        false,
      );
      const all = [...fresh, ...(await recorded(rows.filter(hasHistory), true))];
      if (all.length === 0) return null;
      return {
        writes: all.flatMap(({ writes }) => writes),
        stored() {
          for (const one of all) one.stored();
        },
      };
    },
  };
}
