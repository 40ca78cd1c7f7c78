import Joi from 'joi';
import { isMediaType } from '../../../actors/services/media/types.ts';
import type { ScheduledRow, ScheduledStatus } from '../../../store/scheduling/scheduled.ts';
import { FutureTime, Timestamp, Ulid } from '../../core/schemas.ts';
import { MESSAGE_TYPES, type SendBody, SendSchema } from '../messages/schemas.ts';

export const SCHEDULED_STATUSES = ['pending', 'sending', 'sent', 'failed'] as const;

export type ContentBody = Omit<SendBody, 'connect_only' | 'expires_at'>;
export type ScheduleBody = ContentBody & { readonly scheduled_at: number };

const At = FutureTime.description('The time of sending: in the future, at most two years ahead');

const FIELDS = [
  'chat_id',
  'recipient',
  'type',
  'body',
  'media_r2_key',
  'url',
  'filename',
  'caption',
  'voice_note',
  'convert',
  'gif',
  'round',
  'view_once',
  'hd',
  'sticker',
  'location',
  'poll_name',
  'choices',
  'contact',
  'reply_to',
  'country_code',
  'priority',
  'mentions',
  'link_preview',
] as const satisfies readonly (keyof ContentBody)[];

const fields: Joi.ObjectSchema = Joi.object(Object.fromEntries(FIELDS.map((field) => [field, SendSchema.extract(field)]))).keys({
  template_id: SendSchema.extract('template_id').description(
    'A template instead of `body`, filled in from the contact now; an official one again when the message is due',
  ),
  variables: SendSchema.extract('variables'),
});

export const ContentSchema: Joi.ObjectSchema<ContentBody> = fields;

export const ScheduleSchema: Joi.ObjectSchema<ScheduleBody> = fields.keys({ scheduled_at: At.required() });

export const ReschedulingSchema: Joi.ObjectSchema<Partial<ScheduleBody>> = fields
  .fork(['type'], (schema) => schema.optional())
  .keys({ scheduled_at: At });

export interface ScheduledMessage {
  readonly id: string;
  readonly session_id: string;
  readonly api_key_id: string;
  readonly chat_id: string;
  readonly message_type: string;
  readonly body: string | null;
  readonly media_r2_key: string | null;
  readonly caption: string | null;
  readonly scheduled_at: number;
  readonly status: ScheduledStatus;
  readonly message_id: string | null;
  readonly error: string | null;
  readonly created_at: number;
}

export function toScheduled(row: ScheduledRow): ScheduledMessage {
  const hasFile = isMediaType(row.message_type);
  return {
    id: row._id,
    session_id: row.session_id,
    api_key_id: row.tenant_id,
    chat_id: row.chat_id,
    message_type: row.message_type,
    body: hasFile ? null : row.body,
    media_r2_key: row.media_r2_key,
    caption: hasFile ? row.body : null,
    scheduled_at: row.scheduled_at,
    status: row.status,
    message_id: row.status === 'sent' ? row.message_id : null,
    error: row.error,
    created_at: row.created_at,
  };
}

const text = Joi.string().allow(null, '');

export const ScheduledSchema: Joi.ObjectSchema<ScheduledMessage> = Joi.object({
  id: Ulid.required(),
  session_id: Ulid.required(),
  api_key_id: Joi.string().required().description('The owning tenant'),
  chat_id: Joi.string().required().description('As submitted'),
  message_type: Joi.string()
    .valid(...MESSAGE_TYPES)
    .required(),
  body: text.required(),
  media_r2_key: text.required(),
  caption: text.required(),
  scheduled_at: Timestamp.required(),
  status: Joi.string()
    .valid(...SCHEDULED_STATUSES)
    .required()
    .description('`sending`: handed to the device, which may be offline; then `sent` or `failed`, like its message'),
  message_id: Ulid.allow(null).required().description('The id of the message, once it is sent'),
  error: text
    .required()
    .description('For example `opted_out`, `cancelled`, `quota_exceeded`, `not_on_network`, `template_paused`')
    .example(null),
  created_at: Timestamp.required(),
}).meta({ title: 'SessionScheduledMessage' });
