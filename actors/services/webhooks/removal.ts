import type { Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { Deliveries } from '../../../store/webhooks/deliveries.ts';
import type { OpenedWebhook, Webhooks } from '../../../store/webhooks/webhooks.ts';
import { WEBHOOK_REMOVED } from './new-delivery.ts';

/**
 * Removes webhooks that a tenant deletes, and the webhooks of a deleted device. Can be repeated.
 */

interface RemovalDeps {
  readonly webhooks: Pick<Webhooks<OpenedWebhook>, 'remove'>;
  readonly deliveries: Pick<Deliveries, 'abandon'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly tenantHints: { webhookChanged(tenantId: string, webhookId: string): void };
}

interface ForgetDeps extends RemovalDeps {
  readonly webhooks: Pick<Webhooks<OpenedWebhook>, 'list' | 'remove'>;
}

/** Fails deliveries even if the webhook is gone, because an earlier removal may have been interrupted. */
export async function removeWebhook(deps: RemovalDeps, tenantId: string, id: string, now: number): Promise<boolean> {
  const isRemoved = await deps.webhooks.remove(tenantId, id);
  await deps.deliveries.abandon(tenantId, id, WEBHOOK_REMOVED);
  if (!isRemoved) return false;
  await deps.wakeups.put(tenantId, now);
  deps.tenantHints.webhookChanged(tenantId, id);
  return true;
}

export async function forgetWebhooks(deps: ForgetDeps, tenantId: string, sessionId: string, now: number): Promise<void> {
  for (const { _id, session_id } of await deps.webhooks.list(tenantId)) {
    if (session_id !== sessionId) continue;
    // Fail the deliveries first, because after a crash, they can be found only through the webhook.
    await deps.deliveries.abandon(tenantId, _id, WEBHOOK_REMOVED);
    await removeWebhook(deps, tenantId, _id, now);
  }
}
