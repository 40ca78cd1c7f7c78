import Joi from 'joi';
import { LATEST_MS } from '../../actors/domain/zones.ts';
import { EARLIEST_MS } from './language.ts';

/** An id of something we made. */
export const Ulid = Joi.string()
  .pattern(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  .example('01JZX5ZB4T8QKX3N9V7C2M6D1E');

/** Unix epoch ms. */
export const Timestamp = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER).example(1_767_225_600_000);

/** A time that a caller names: a number that can only be seconds is refused, saying so, and one after all dates; 0 is the beginning of time. */
export const TimeInput = Joi.number().integer().min(EARLIEST_MS).max(LATEST_MS).allow(0).example(1_767_225_600_000);

/** Stands in examples for a time that lies ahead of whoever reads them. */
export const FUTURE_EXAMPLE = 4_102_444_800_000;

/** One that has to lie ahead: `faultIfPast` (times.ts) looks at it. */
export const FutureTime = TimeInput.example(FUTURE_EXAMPLE, { override: true });

/** A phone number as people write it (actors/domain/numbers/read-number.ts). */
export const PhoneText = Joi.string().min(1).max(64).example('+62 812-3456-7890');

/** Of a number that was not read because two people may be meant. */
export const Readings = Joi.array()
  .items(Joi.string())
  .description('Both numbers, where two people may be meant')
  .example(['+62819012345678', '+819012345678']);

const NONE = Joi.valid('null', '');

/** Where a page of a list begins. The null of a last page, written into an address, begins with the first again. */
export const Before = TimeInput.empty(NONE).allow(null).description('`next_before` of the previous page; `null`: the first page');

/** The record a page begins behind, `id` being how ids of this list look. */
export const beforeId = (id: Joi.StringSchema): Joi.StringSchema =>
  id.empty(NONE).description('`next_before_id` of the previous page; send it with `before`');

/** Query of a list that can grow: newest first, after the last record of the page before. */
export const paging = {
  limit: Joi.number().integer().min(1).max(200).default(50).description('Records per page'),
  before: Before,
  before_id: beforeId(Ulid),
};

/** The answer of a list that can grow, beside its records. */
export const nextPage = { next_before: Timestamp.allow(null).required(), next_before_id: Ulid.allow(null).required() };

/** The answer of a delete. */
export const Done = Joi.object<{ ok: true }, true>({ ok: Joi.boolean().valid(true).required().example(true) }).meta({ title: 'Done' });

/** A field that is demanded when its neighbour `field` has one of `values`, and free otherwise. */
export function requiredWhen<S extends Joi.AnySchema>(schema: S, field: string, ...values: readonly string[]): S {
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  return schema.when(field, { is: Joi.valid(...values).required(), then: Joi.required() });
}

/** What is known of a file as it is shown or heard. */
export const FileNotesFields = {
  seconds: Joi.number().min(0).description('Of a sound or a video'),
  width: Joi.number().integer().min(1).description('Of a picture or a video, upright'),
  height: Joi.number().integer().min(1),
  pages: Joi.number().integer().min(1).description('Of a PDF'),
};
