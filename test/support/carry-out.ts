import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { MessageRow } from '../../store/messaging/messages.ts';

/** All that follows from these rows by this step. */
export async function carryOut(step: OutboxHandler, rows: readonly MessageRow[]): Promise<void> {
  const next = await step.plan(rows);
  if (!next) return;
  if ('alone' in next) return next.alone();
  for (const write of next.writes) await write();
  next.stored?.();
}
