import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import type { EventLog } from './event-log.ts';
import { eventsOf, hasHistory } from './message-events.ts';

/** Records the events of messages that changed. */
export function recordEvents(log: EventLog, now: () => number): OutboxHandler {
  async function record(rows: readonly MessageRow[], again: boolean): Promise<void> {
    for (const [tenantId, own] of Map.groupBy(rows, ({ tenant_id }) => tenant_id)) {
      const drafts = own.flatMap((row) => eventsOf(row, now()));
      await log.record(tenantId, drafts, { again });
    }
  }

  return {
    name: 'events',
    async run(rows) {
      await record(
        rows.filter((row) => !hasHistory(row)),
        false,
      );
      await record(rows.filter(hasHistory), true);
    },
  };
}
