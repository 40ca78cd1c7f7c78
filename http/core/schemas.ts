import Joi from 'joi';
import { LATEST_MS } from '../../actors/domain/zones.ts';
import { EARLIEST_MS } from './language.ts';

export const Ulid = Joi.string()
  .pattern(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  .example('01JZX5ZB4T8QKX3N9V7C2M6D1E');

export const Timestamp = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER).example(1_767_225_600_000);

export const TimeInput = Joi.number().integer().min(EARLIEST_MS).max(LATEST_MS).allow(0).example(1_767_225_600_000);

export const FUTURE_EXAMPLE = 4_102_444_800_000;

export const FutureTime = TimeInput.example(FUTURE_EXAMPLE, { override: true });

export const PhoneText = Joi.string().min(1).max(64).example('+62 812-3456-7890');

export const Readings = Joi.array()
  .items(Joi.string())
  .description('Both possible numbers, if the input can mean two people')
  .example(['+62819012345678', '+819012345678']);

const NONE = Joi.valid('null', '');

/**
 * A client may send the `null` of the last page back as the text "null". It then gets the first
 * page again.
 */
export const Before = TimeInput.empty(NONE).allow(null).description('`next_before` of the previous page; `null` for the first page');

export const beforeId = (id: Joi.StringSchema): Joi.StringSchema =>
  id.empty(NONE).description('`next_before_id` of the previous page; send it with `before`');

export const paging = {
  limit: Joi.number().integer().min(1).max(200).default(50).description('Records per page'),
  before: Before,
  before_id: beforeId(Ulid),
};

export const nextPage = { next_before: Timestamp.allow(null).required(), next_before_id: Ulid.allow(null).required() };

export const Done = Joi.object<{ ok: true }, true>({ ok: Joi.boolean().valid(true).required().example(true) }).meta({ title: 'Done' });

export function requiredWhen<S extends Joi.AnySchema>(schema: S, field: string, ...values: readonly string[]): S {
  // biome-ignore lint/suspicious/noThenProperty: Joi names this option `then`
  return schema.when(field, { is: Joi.valid(...values).required(), then: Joi.required() });
}

export const FileNotesFields = {
  seconds: Joi.number().min(0).description('Length of a sound or a video'),
  width: Joi.number().integer().min(1).description('Width of a picture or a video in its upright position'),
  height: Joi.number().integer().min(1),
  pages: Joi.number().integer().min(1).description('Number of pages of a PDF'),
};
