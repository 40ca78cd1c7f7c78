import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { MessageRow } from '../../store/messaging/messages.ts';

/** Runs this step for all the work that follows from these rows. */
export async function carryOut(step: OutboxHandler, rows: readonly MessageRow[]): Promise<void> {
  const next = await step.plan(rows);
  if (!next) return;
  if ('alone' in next) return next.alone();
  for (const write of next.writes) await write();
  next.stored?.();
}
