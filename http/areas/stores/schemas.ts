import Joi from 'joi';
import type { NewStore, StoreChange } from '../../../actors/services/stores/links.ts';
import type { StoreHookRow } from '../../../store/store-links/hooks.ts';
import type { StoreLinkRow } from '../../../store/store-links/links.ts';
import { PhoneText, Timestamp, Ulid } from '../../core/schemas.ts';

const MESSAGE_KINDS = ['order_created', 'order_paid', 'order_shipped', 'abandoned_checkout'] as const;
const PLATFORMS = ['platform_a', 'platform_b'] as const;

const OUTCOMES = [
  'sent',
  'scheduled',
  'rescheduled',
  'cancelled',
  'duplicate',
  'off',
  'no_phone',
  'no_session',
  'not_marketing',
  'opted_out',
  'ignored',
];

export const TOPICS: Readonly<Record<(typeof PLATFORMS)[number], readonly string[]>> = {
  platform_a: [
    'orders/create',
    'orders/paid',
    'orders/fulfilled',
    'orders/partially_fulfilled',
    'fulfillments/create',
    'fulfillments/update',
    'checkouts/create',
    'checkouts/update',
    'checkouts/delete',
    'orders/cancelled',
  ],
  platform_b: ['order.created', 'order.updated'],
};

const Name = Joi.string().trim().min(1).max(80).example('Toko Melati');
const TemplateText = Joi.string().min(1).max(1_000).pattern(/\S/);
const Secret = Joi.string().min(16).max(200);
const Template = Joi.object({ enabled: Joi.boolean(), text: TemplateText }).meta({ title: 'StoreTemplate' });
const SavedTemplate = Joi.object({ enabled: Joi.boolean().required(), text: TemplateText.required() }).meta({ title: 'StoreTemplate' });
const eachKind = (schema: Joi.Schema) => Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, schema]));
const text = Joi.string().allow(null);

export const NewStoreSchema: Joi.ObjectSchema<NewStore> = Joi.object({
  platform: Joi.string()
    .valid(...PLATFORMS)
    .required()
    .description('`platform_a`: Shopify; `platform_b`: WooCommerce'),
  name: Name.required().description('Used as `{store}`'),
  session_id: Ulid.allow(null).description('The device that sends'),
  secret: Secret.description('For `platform_a`: the key that its settings show; for `platform_b` it is generated'),
});

export const StoreChangeSchema: Joi.ObjectSchema<StoreChange> = Joi.object({
  name: Name,
  session_id: Ulid.allow(null),
  secret: Secret.allow('').description('An empty text keeps the secret. After a change, the old secret stays valid for 24 hours'),
  enabled: Joi.boolean(),
  templates: Joi.object(eachKind(Template)),
  abandoned_delay_min: Joi.number().integer().min(15).max(2_880),
  abandoned_only_marketing: Joi.boolean().description('Remind only buyers who accepted marketing'),
});

export interface StoreIntegration {
  readonly id: string;
  /** Null if the URL can no longer be decrypted. */
  readonly webhook_url: string | null;
  readonly [field: string]: unknown;
}

export const StoreSchema: Joi.ObjectSchema<StoreIntegration> = Joi.object({
  id: Ulid.required(),
  platform: Joi.string()
    .valid(...PLATFORMS)
    .required(),
  name: Joi.string().required(),
  session_id: Ulid.allow(null).required(),
  enabled: Joi.boolean().required(),
  has_secret: Joi.boolean().required(),
  webhook_url: Joi.string()
    .uri()
    .allow(null)
    .required()
    .description('The address that the store must call. Keep it secret. null if its encryption key is lost'),
  templates: Joi.object(eachKind(SavedTemplate.required())).required(),
  abandoned_delay_min: Joi.number().integer().required(),
  abandoned_only_marketing: Joi.boolean().required(),
  shop_domain: text.required().description('As reported by the store’s webhooks'),
  last_event_at: Timestamp.allow(null).required(),
  last_error: text.required(),
  created_at: Timestamp.required(),
  health: Joi.object({
    state: Joi.string().valid('ok', 'quiet', 'failing').required(),
    reasons: Joi.array().items(Joi.string()).required(),
  }).required(),
}).meta({ title: 'StoreIntegration' });

export const StoresSchema = Joi.object({
  items: Joi.array().items(StoreSchema).required(),
  events: Joi.array().items(Joi.string()).required().description('The topics to subscribe to in the store'),
});

export const StoreEventsSchema = Joi.object({
  items: Joi.array()
    .items(
      Joi.object({
        id: Joi.number().integer().required(),
        topic: Joi.string().allow('').required(),
        ref: text.required().description('Order number or checkout'),
        outcome: Joi.string()
          .valid(...OUTCOMES)
          .required(),
        detail: text.required(),
        created_at: Timestamp.required(),
      }).meta({ title: 'StoreEvent' }),
    )
    .required(),
});

export const TestStoreSchema = Joi.object<{ phone: string; event: (typeof MESSAGE_KINDS)[number] }>({
  phone: PhoneText.required(),
  event: Joi.string()
    .valid(...MESSAGE_KINDS)
    .default('order_created'),
});

export const oneStore = Joi.object<{ id: string }>({ id: Ulid.required().description('A store') });

export function toStore(link: StoreLinkRow, webhookUrl: string | null, last_error: string | null, health: unknown): StoreIntegration {
  const { _id: id, platform, name, session_id, enabled, secret, templates } = link;
  const { abandoned_delay_min, abandoned_only_marketing, shop_domain, last_event_at, created_at } = link;
  return {
    id,
    platform,
    name,
    session_id,
    enabled,
    has_secret: secret !== null,
    webhook_url: webhookUrl,
    templates,
    abandoned_delay_min,
    abandoned_only_marketing,
    shop_domain,
    last_event_at,
    last_error,
    created_at,
    health,
  };
}

export function toStoreEvent({ no: id, topic, ref, outcome, detail, created_at }: StoreHookRow) {
  return { id, topic, ref, outcome, detail, created_at };
}
