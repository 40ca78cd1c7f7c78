import type { Messages } from '../../../store/messaging/messages.ts';
import type { Scheduled } from '../../../store/scheduling/scheduled.ts';

export interface TakeBackDeps {
  readonly scheduled: Pick<Scheduled, 'withdraw' | 'released'>;
  readonly messages: Pick<Messages, 'cancel'>;
  hintDevice(device: { readonly tenant_id: string; readonly _id: string }): void;
}

/** Cancels a scheduled message, unless it is being sent. Idempotent. */
export async function takeBack({ scheduled, messages, hintDevice }: TakeBackDeps, tenantId: string, id: string): Promise<void> {
  if (await scheduled.withdraw(tenantId, id)) return;
  const released = await scheduled.released(tenantId, id);
  if (!released?.message_id) return;
  const cancelled = await messages.cancel(tenantId, released.session_id, released.message_id);
  if (cancelled) hintDevice({ tenant_id: tenantId, _id: released.session_id });
}
