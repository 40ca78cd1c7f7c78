import type { Messages } from '../../../store/messaging/messages.ts';
import type { Scheduled } from '../../../store/scheduling/scheduled.ts';

export interface TakeBackDeps {
  readonly scheduled: Pick<Scheduled, 'withdraw' | 'released'>;
  readonly messages: Pick<Messages, 'cancel'>;
  /** The device has something to tell of its messages. */
  hintDevice(device: { readonly tenant_id: string; readonly _id: string }): void;
}

/**
 * Takes a scheduled message back: one that waits for its time is gone, one that waits for its device since is cancelled. What is on its way to
 * the network goes on. Repeating it changes nothing.
 */
export async function takeBack({ scheduled, messages, hintDevice }: TakeBackDeps, tenantId: string, id: string): Promise<void> {
  if (await scheduled.withdraw(tenantId, id)) return;
  const released = await scheduled.released(tenantId, id);
  if (!released?.message_id) return;
  const cancelled = await messages.cancel(tenantId, released.session_id, released.message_id);
  if (cancelled) hintDevice({ tenant_id: tenantId, _id: released.session_id });
}
