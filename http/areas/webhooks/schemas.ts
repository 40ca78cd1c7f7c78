import Joi from 'joi';
import { SUBSCRIBABLE } from '../../../actors/services/events/types.ts';
import type { DeliveryAttempt, DeliveryRow, DeliveryStatus, DeliverySummary } from '../../../store/webhooks/deliveries.ts';
import type { OpenedWebhook } from '../../../store/webhooks/webhooks.ts';
import { type OtherFormat, WEBHOOK_FORMATS } from '../../../store/webhooks/webhooks.ts';
import { nextPage, paging, TimeInput, Timestamp, Ulid } from '../../core/schemas.ts';

export type Webhook = Pick<OpenedWebhook, 'url' | 'events' | 'created_at' | 'disabled_at'> & {
  readonly id: string;
  readonly format: WebhookFormat;
  readonly session_id: string | null;
  readonly error: 'secret_unreadable' | null;
};

export type Delivery = Pick<
  DeliveryRow,
  | 'webhook_id'
  | 'event_id'
  | 'event'
  | 'attempt'
  | 'status'
  | 'response_status'
  | 'error'
  | 'duration_ms'
  | 'next_attempt_at'
  | 'created_at'
> & { readonly id: string; readonly attempts: readonly DeliveryAttempt[] };

export type WebhookFormat = 'gateway' | OtherFormat;

export interface NewWebhook {
  readonly url: string;
  readonly secret: string;
  readonly events: readonly string[];
  readonly format?: WebhookFormat;
  readonly session_id?: string;
}

export type WebhookChange = Partial<Pick<NewWebhook, 'url' | 'secret' | 'events'>> & { readonly paused?: boolean };

export interface DeliveryQuery {
  readonly webhook_id?: string;
  readonly status?: DeliveryStatus;
  readonly event?: string;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

export function toWebhook({ _id: id, url, events, created_at, disabled_at, secret, ...rest }: OpenedWebhook): Webhook {
  const { format = 'gateway', session_id = null } = rest;
  return { id, url, events, format, session_id, created_at, disabled_at, error: secret === null ? 'secret_unreadable' : null };
}

export function toDelivery(row: DeliverySummary, attempts: readonly DeliveryAttempt[] = []): Delivery {
  const { _id: id, webhook_id, event_id, event, attempt, status, response_status, error, duration_ms, next_attempt_at, created_at } = row;
  return {
    id,
    webhook_id,
    event_id,
    event,
    attempt,
    status,
    response_status,
    error,
    duration_ms,
    next_attempt_at,
    created_at,
    attempts,
  };
}

const STATUSES = ['pending', 'delivered', 'failed'] as const;

/** The egress guard decides whether the address may be used. */
const Url = Joi.string()
  .pattern(/^[a-z][a-z\d+.-]*:\S+$/i, 'url')
  .max(2048)
  .description('HTTPS, publicly reachable')
  .example('https://shop.example.com/hooks');
const Secret = Joi.string().min(32).max(256).description('Signs each delivery; never shown').example('a-secret-of-at-least-32-characters');
const EventName = Joi.string().valid(...SUBSCRIBABLE);
const EventNames = Joi.array().items(EventName).min(1).max(SUBSCRIBABLE.length).unique().example(['message.received', 'message.sent']);

const Format = Joi.string()
  .valid('gateway', ...WEBHOOK_FORMATS)
  .description(
    'The format of the bodies: this gateway’s, or that of another gateway. Events that the format does not have are not delivered',
  );

export const NewWebhookSchema = Joi.object<NewWebhook>({
  url: Url.required(),
  secret: Secret.required(),
  events: EventNames.required(),
  format: Format.meta({ default: 'gateway' }),
  session_id: Ulid.description('Only events of this device. Deleting the device also deletes the webhook. Absent: events of all devices'),
});
export const WebhookChangeSchema = Joi.object<WebhookChange>({
  url: Url,
  secret: Secret,
  events: EventNames,
  paused: Joi.boolean().description('While paused, nothing is sent; events wait for up to 7 days'),
}).min(1);

export const WebhookSchema = Joi.object<Webhook>({
  id: Ulid.required(),
  url: Joi.string().required(),
  events: Joi.array().items(Joi.string()).required(),
  format: Format.required(),
  session_id: Ulid.allow(null).required().description('null for the events of all devices'),
  created_at: Timestamp.required(),
  disabled_at: Timestamp.allow(null).required().description('When the webhook was paused; null if it is active'),
  error: Joi.string()
    .valid('secret_unreadable')
    .allow(null)
    .required()
    .description(
      '`secret_unreadable`: the stored secret cannot be decrypted. Nothing is sent until you save a new one; events wait for up to 7 days. null if there is no problem',
    ),
}).meta({ title: 'Webhook' });

export const WebhooksSchema = Joi.object<{ webhooks: readonly Webhook[] }>({ webhooks: Joi.array().items(WebhookSchema).required() });

const DeliverySchema = Joi.object<Delivery>({
  id: Ulid.required(),
  webhook_id: Ulid.required(),
  event_id: Joi.string().required().description('The same on every retry'),
  event: Joi.string().required(),
  attempt: Joi.number().integer().required().description('Attempts so far'),
  status: Joi.string()
    .valid(...STATUSES)
    .required(),
  response_status: Joi.number().integer().allow(null).required().description('The last status of the receiver'),
  error: Joi.string()
    .allow(null)
    .required()
    .description(
      'Why the last attempt failed: `status_<code>`, `timeout`, `connection_refused`, `connection_lost`, `connection_failed`, `name_not_found`, `tls`, `blocked`, `not_http`, `headers_too_long`; `webhook_removed` when the webhook was deleted',
    ),
  duration_ms: Joi.number().integer().allow(null).required(),
  next_attempt_at: Timestamp.allow(null).required(),
  created_at: Timestamp.required(),
  attempts: Joi.array()
    .items(
      Joi.object<DeliveryAttempt>({
        at: Timestamp.required(),
        response_status: Joi.number().integer().allow(null).required(),
        error: Joi.string().allow(null).required(),
        duration_ms: Joi.number().integer().required(),
        body: Joi.string().allow('', null).required().description('The first 500 characters of the response'),
      }).meta({ title: 'WebhookAttempt' }),
    )
    .required()
    .description('All attempts, including redeliveries, oldest first (the last 100)'),
}).meta({ title: 'WebhookDelivery' });

export const FullDeliverySchema = DeliverySchema.append<Delivery & { readonly payload: string }>({
  payload: Joi.string().allow('').required().description('The body that each attempt sends, exactly as signed'),
}).meta({ title: 'FullWebhookDelivery' });

export const ReplayedSchema = Joi.object({ count: Joi.number().integer().required() }).meta({ title: 'Replayed' });

export const ReplaySchema = Joi.object<{ webhook_id: string; since: number }>({
  webhook_id: Ulid.required(),
  since: TimeInput.required().description('Only deliveries since this time'),
});

export const DeliveryQuerySchema = Joi.object<DeliveryQuery>({
  webhook_id: Ulid,
  status: Joi.string().valid(...STATUSES),
  event: EventName,
  ...paging,
}).with('before_id', 'before');

export const DeliveriesSchema = Joi.object<{
  deliveries: readonly Delivery[];
  next_before: number | null;
  next_before_id: string | null;
}>({ deliveries: Joi.array().items(DeliverySchema).required(), ...nextPage });

export const AcceptedSchema = Joi.object<{ delivery_id: string }>({ delivery_id: Ulid.required() });

export const oneWebhook = Joi.object<{ id: string }>({ id: Ulid.required().description('The webhook') });
export const oneDelivery = Joi.object<{ id: string }>({ id: Ulid.required().description('The delivery') });
