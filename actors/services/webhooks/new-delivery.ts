import { newId } from '../../../runtime/ids.ts';
import type { DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { WebhookRow } from '../../../store/webhooks/webhooks.ts';

/** Deliveries are kept for this long after the last request, even while a webhook is paused. */
export const KEPT_MS = 7 * 86_400_000;
export const WEBHOOK_REMOVED = 'webhook_removed';

/** `isAsked`: a user requested the delivery, so it is made even if it was made before. */
export function newDelivery(
  { _id: webhook_id, tenant_id }: Pick<WebhookRow, '_id' | 'tenant_id'>,
  what: Pick<DeliveryRow, 'event_id' | 'event' | 'body'>,
  { isAsked, epoch, now }: { readonly isAsked: boolean; readonly epoch: number; readonly now: number },
): DeliveryRow {
  const { event_id, event, body } = what;
  const _id = newId(now);
  return {
    _id,
    tenant_id,
    webhook_id,
    event_id,
    event,
    asked: isAsked ? _id : '',
    body,
    attempt: 0,
    status: 'pending',
    response_status: null,
    error: null,
    duration_ms: null,
    next_attempt_at: now,
    epoch,
    created_at: now,
    expires_at: now + KEPT_MS,
  };
}
