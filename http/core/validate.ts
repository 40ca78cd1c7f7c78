import Joi from 'joi';
import { whenThere } from '../../runtime/when-there.ts';
import { cutLists } from './cut-lists.ts';
import { cutUnknown } from './cut-unknown.ts';
import { refusalFor } from './faults.ts';
import { describe, type SchemaDescription } from './joi-reflection.ts';
import { longListsApart, type Turn, type Verdict } from './long-lists.ts';

/** Returns a promise only if the body has long lists. */
export type Validate = (value: unknown, turn?: Turn) => unknown;

export interface ValidateOptions {
  /** True for paths and queries, but never for bodies. */
  readonly convert: boolean;
  readonly where: 'path' | 'query' | 'body';
}

const nothing = Joi.object({});

const compiled = new WeakMap<Joi.Schema, Map<string, Validate>>();

/** Compiles on first use, because compiling hundreds of schemas would slow down startup. */
export function validator(schema: Joi.Schema = nothing, options: ValidateOptions): Validate {
  let own: Validate | undefined;
  return (value, turn) => {
    own ??= compiledOnce(schema, options);
    return own(value, turn);
  };
}

function compiledOnce(schema: Joi.Schema, options: ValidateOptions): Validate {
  const ofSchema = compiled.get(schema) ?? new Map<string, Validate>();
  compiled.set(schema, ofSchema);
  const key = `${options.where} ${options.convert}`;
  const known = ofSchema.get(key) ?? compile(schema, options);
  ofSchema.set(key, known);
  return known;
}

export function boundedJudge(
  schema: Joi.Schema,
  judge: (value: unknown) => Verdict,
): (value: unknown, turn?: Turn) => Verdict | Promise<Verdict> {
  const apart = longListsApart(schema, judge);
  const description = describe(schema);
  return (value, turn) => apart(cutLists(value, description), turn);
}

function compile(schema: Joi.Schema, { convert, where }: ValidateOptions): Validate {
  const whole = schema.prefs({ convert, abortEarly: false, allowUnknown: false, errors: { render: false } });
  let described: SchemaDescription | undefined;
  const description = (): SchemaDescription => (described ??= describe(schema));
  const judged = (value: unknown): Verdict => {
    const { error, value: valid } = whole.validate(cutUnknown(value, description()));
    return { value: valid, details: error?.details ?? [] };
  };
  const judge = convert ? judged : boundedJudge(schema, judged);
  const accepted = (verdict: Verdict): unknown => {
    if (verdict.details.length > 0) throw refusalFor(verdict, description, where);
    return verdict.value;
  };
  return (value, turn) => whenThere(judge(value, turn), accepted);
}
