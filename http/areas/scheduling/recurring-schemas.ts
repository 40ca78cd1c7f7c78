import Joi from 'joi';
import { isTimezone } from '../../../actors/domain/countries.ts';
import { MAX_TEXT_LENGTH } from '../../../actors/domain/text-tokens.ts';
import type { RecurringRow, ScheduleConfig, ScheduleType } from '../../../store/scheduling/recurring.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { VariablesSchema } from '../messages/official-schemas.ts';
import { MESSAGE_TYPES } from '../messages/schemas.ts';

const SCHEDULE_TYPES = ['daily', 'weekly', 'monthly', 'interval'] as const;

export interface RecurringBody {
  readonly name: string;
  readonly targets: readonly string[];
  readonly message?: string | null;
  readonly media_r2_key?: string | null;
  readonly template_id?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly schedule_type: ScheduleType;
  readonly schedule_config?: Partial<ScheduleConfig>;
  readonly timezone?: string | null;
  readonly is_active?: boolean;
}

const MAX_TARGETS = 1_000;

const Config = Joi.object<Partial<ScheduleConfig>>({
  hour: Joi.number().integer().min(0).max(23).meta({ default: 9 }).example(9),
  minute: Joi.number().integer().min(0).max(59).meta({ default: 0 }).example(0),
  day: Joi.number()
    .integer()
    .min(0)
    .max(31)
    .meta({ default: 1 })
    .description('Weekly: 0 = Sunday to 6. Monthly: 1 to 31, the last day in shorter months. Not used by other types'),
  every_days: Joi.number().integer().min(1).max(365).meta({ default: 1 }).description('For an interval: counted from the first run'),
}).meta({ title: 'ScheduleConfig' });

const Zone = Joi.string()
  .min(1)
  .max(64)
  .custom((name: string, { error }) => (isTimezone(name) ? name : error('any.invalid')))
  .example('Asia/Jakarta');

const fields: Joi.ObjectSchema = Joi.object({
  name: Joi.string().min(1).max(100).example('Weekly offer'),
  targets: Joi.array()
    .items(Joi.string().min(1).max(64))
    .min(1)
    .max(MAX_TARGETS)
    .description('JIDs or phone numbers; numbers are saved as JIDs, without duplicates')
    .example(['+6281234567890']),
  message: Joi.string()
    .min(1)
    .max(MAX_TEXT_LENGTH)
    .allow(null)
    .description('The text, or with a file its caption (1,024 characters); ignored for voice messages')
    .example('Hi!'),
  media_r2_key: Joi.string()
    .min(1)
    .max(256)
    .allow(null)
    .description('The key of an uploaded file; its type decides the message type')
    .example(null),
  template_id: Ulid.description(
    'An official template instead of `message`, filled in for each target when it is sent; its header file is `media_r2_key`',
  ),
  variables: VariablesSchema,
  schedule_type: Joi.string()
    .valid(...SCHEDULE_TYPES)
    .example('weekly'),
  schedule_config: Config,
  timezone: Zone.allow(null).description(
    'Default (also for null): the current time zone of the business. When clocks go forward, a skipped time runs right after the gap; when they go back, a repeated time runs only the first time',
  ),
  is_active: Joi.boolean().meta({ default: true }).description('False pauses the message'),
});

export const RecurringCreation: Joi.ObjectSchema<RecurringBody> = fields.fork(['name', 'targets', 'schedule_type'], (schema) =>
  schema.required(),
);
export const RecurringPatch: Joi.ObjectSchema<Partial<RecurringBody>> = fields;

export interface RecurringMessage {
  readonly id: string;
  readonly session_id: string;
  readonly name: string;
  readonly targets: readonly string[];
  readonly message: string | null;
  readonly media_r2_key: string | null;
  readonly template_id?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly message_type: RecurringRow['message_type'];
  readonly schedule_type: ScheduleType;
  readonly schedule_config: ScheduleConfig;
  readonly timezone: string;
  readonly next_run_at: number | null;
  readonly last_run_at: number | null;
  readonly is_active: boolean;
  readonly created_at: number;
}

export function toRecurring(row: Omit<RecurringRow, 'due_at' | 'rev'>): RecurringMessage {
  const { _id: id, session_id, name, targets, message, media_r2_key, message_type, schedule_type } = row;
  const { schedule_config, timezone, next_run_at, last_run_at, is_active, created_at } = row;
  const { id: template_id, variables = [] } = row.template ?? {};
  const filled = template_id !== undefined && {
    template_id,
    variables: Object.fromEntries(variables.map(({ name: of, value }) => [of, value])),
  };
  const what = { id, session_id, name, targets, message, media_r2_key, ...filled, message_type };
  return { ...what, schedule_type, schedule_config, timezone, next_run_at, last_run_at, is_active, created_at };
}

export const RecurringSchema: Joi.ObjectSchema<RecurringMessage> = Joi.object({
  id: Ulid.required(),
  session_id: Ulid.required(),
  name: Joi.string().required(),
  targets: Joi.array().items(Joi.string()).required().example(['6281234567890@s.whatsapp.net']),
  message: Joi.string().allow(null).required(),
  media_r2_key: Joi.string().allow(null).required().example(null),
  template_id: Ulid.description('Absent without an official template; `message` is then its text before it is filled in'),
  variables: VariablesSchema,
  message_type: Joi.string()
    .valid(...MESSAGE_TYPES)
    .required(),
  schedule_type: Joi.string()
    .valid(...SCHEDULE_TYPES)
    .required(),
  schedule_config: Joi.object({
    hour: Joi.number().integer().required(),
    minute: Joi.number().integer().required(),
    day: Joi.number().integer(),
    every_days: Joi.number().integer(),
  }).required(),
  timezone: Joi.string().required(),
  next_run_at: Timestamp.allow(null).required().description('null while the message is paused'),
  last_run_at: Timestamp.allow(null).required(),
  is_active: Joi.boolean().required(),
  created_at: Timestamp.required(),
}).meta({ title: 'RecurringMessage' });
