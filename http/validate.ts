import Joi from 'joi';
import { refusal } from '../actors/refusals.ts';
import { Refusal } from '../runtime/errors.ts';
import { reasonOf } from './language.ts';
import { type Shortcut, shortcutOf } from './shortcut.ts';

/** Gives the value as its row wants it. Throws Refusal VALIDATION_FAILED naming the field, or the Refusal that a custom rule of the schema threw. */
export type Validate = (value: unknown) => unknown;

export interface ValidateOptions {
  /** Turn text into numbers and booleans: for paths and queries, never for bodies. */
  readonly convert: boolean;
  /** What to blame when no field is at fault. */
  readonly where: 'path' | 'query' | 'body';
}

const nothing = Joi.object({});

/** Compiles a row's schema when it is first asked: a node has hundreds of rows, and to start it need not know any of them. */
export function validator(schema: Joi.Schema = nothing, options: ValidateOptions): Validate {
  let compiled: Validate | undefined;
  return (value) => {
    compiled ??= compile(schema, options);
    return compiled(value);
  };
}

/** What is plainly valid never reaches Joi, which is slow inside a server (performance.md part 2). */
function compile(schema: Joi.Schema, { convert, where }: ValidateOptions): Validate {
  const shortcut: Shortcut | null = shortcutOf(schema, { convert });
  const whole = schema.prefs({ convert, abortEarly: true, allowUnknown: false });
  const asked = (value: unknown): unknown => throughJoi(whole, value, where);
  if (!shortcut) return asked;
  return (value) => {
    if (!shortcut.certainly(value)) return asked(value);
    shortcut.fill?.(value);
    return value;
  };
}

function throughJoi(schema: Joi.Schema, value: unknown, where: string): unknown {
  const { error, value: valid } = schema.validate(value);
  if (!error) return valid;
  const item = error.details[0]!;
  const cause: unknown = item.context?.['error'];
  throw cause instanceof Refusal ? cause : refusal('VALIDATION_FAILED', { reason: reasonOf(item, where) });
}
