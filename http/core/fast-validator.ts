import type Joi from 'joi';
import {
  all,
  always,
  isSafeNumber,
  isTrimmed,
  LIST_RULES,
  NeedsJoi,
  NUMBER_RULES,
  never,
  rules,
  type Scalar,
  STRING_RULES,
  scalar,
  scalars,
  type Test,
} from './fast-validator-rules.ts';
import { type Branches, describe, type Fields, flagsOf, type SchemaDescription } from './joi-reflection.ts';

/**
 * A fast path of validation. `certainly` returns true only if Joi would accept the value and change
 * nothing except adding the defaults, which `fill` adds in place. False means "validate with Joi".
 * A schema with anything unknown here always uses Joi.
 */
export interface FastValidator {
  certainly(value: unknown): boolean;
  readonly fill: ((value: unknown) => void) | null;
}

/**
 * One compiled schema. `test` is never called with undefined: the containing object handles
 * presence and defaults.
 */
interface Plain {
  readonly test: Test;
  readonly fill: ((value: unknown) => void) | null;
  readonly presence: 'optional' | 'required' | 'forbidden';
  readonly standard: Scalar | undefined;
  readonly whens: readonly When[];
}

/** `ref` names the sibling that decides: the first arm whose test passes applies. */
interface When {
  readonly ref: string;
  readonly arms: readonly { readonly is: Test; readonly met: Plain | null; readonly otherwise: Plain | null }[];
}

/**
 * Compiles a fast validator; returns null when every value has to go through Joi. `convert`: the
 * values are strings that Joi would turn into numbers and booleans.
 */
export function fastValidatorOf(schema: Joi.Schema, { convert }: { readonly convert: boolean }): FastValidator | null {
  try {
    const { test, fill, whens } = plain(describe(schema), convert);
    return whens.length > 0 ? null : { certainly: (value) => value !== undefined && test(value), fill };
  } catch (cause) {
    if (cause instanceof NeedsJoi) return null;
    throw cause;
  }
}

const KNOWN = new Set([
  'type',
  'flags',
  'rules',
  'allow',
  'invalid',
  'keys',
  'items',
  'matches',
  'whens',
  'metas',
  'examples',
  'notes',
  'tags',
]);
const KNOWN_FLAGS = new Set(['presence', 'description', 'only', 'default', 'label', 'unit', 'unknown']);

function plain(d: SchemaDescription, convert: boolean): Plain {
  const flags = flagsOf(d);
  if (!Object.keys(d).every((name) => KNOWN.has(name))) throw new NeedsJoi();
  if (!Object.keys(flags).every((name) => KNOWN_FLAGS.has(name))) throw new NeedsJoi();
  const typed = byType(d, convert);
  return {
    test: listed(d, flags['only'] === true, typed.test),
    fill: typed.fill,
    presence: presence(flags['presence']),
    standard: 'default' in flags ? scalar(flags['default']) : undefined,
    whens: (d.whens ?? []).map((when) => conditional(when, convert)),
  };
}

/** Explicitly allowed values skip the rules; explicitly refused values never reach them. */
function listed(d: SchemaDescription, only: boolean, test: Test): Test {
  const allowed = scalars(d.allow);
  const refused = scalars(d.invalid);
  const trimmed = (d.rules ?? []).some(({ name }) => name === 'trim') ? isTrimmed : always;
  if (allowed.size === 0 && refused.size === 0) return only ? never : test;
  return (value) => (allowed.has(value) ? trimmed(value) : !only && !refused.has(value) && test(value));
}

function presence(flag: unknown): Plain['presence'] {
  if (flag === undefined || flag === 'optional') return 'optional';
  if (flag === 'required' || flag === 'forbidden') return flag;
  throw new NeedsJoi();
}

interface Typed {
  readonly test: Test;
  readonly fill: Plain['fill'];
}

function byType(d: SchemaDescription, convert: boolean): Typed {
  const unfilled = (test: Test): Typed => ({ test, fill: null });
  switch (d.type) {
    case 'any':
      return unfilled(all([always, ...rules(d.rules, {})]));
    case 'string':
      return unfilled(all([(value) => typeof value === 'string' && value !== '', ...rules(d.rules, STRING_RULES)]));
    case 'number':
      return unfilled(all([isSafeNumber, ...rules(d.rules, NUMBER_RULES)]));
    case 'boolean':
      return unfilled(all([(value) => typeof value === 'boolean', ...rules(d.rules, {})]));
    case 'array':
      return arrayOf(d, convert);
    case 'object':
      return objectOf(d, convert);
    case 'alternatives':
      return unfilled(oneOf(d, convert));
    default:
      throw new NeedsJoi();
  }
}

function oneOf(d: SchemaDescription, convert: boolean): Test {
  const options = d.matches ?? [];
  // An earlier option might accept the value by converting it or by adding defaults.
  if (convert || d.rules || options.length === 0) throw new NeedsJoi();
  const tests = options.map(({ schema, ...more }) => {
    if (!schema || Object.keys(more).length > 0) throw new NeedsJoi();
    const option = plain(schema, convert);
    if (option.fill || option.whens.length > 0 || option.presence === 'forbidden') throw new NeedsJoi();
    return option.test;
  });
  return (value) => tests.some((test) => test(value));
}

function arrayOf(d: SchemaDescription, convert: boolean): Typed {
  const [item, second] = (d.items ?? []).map((description) => plain(description, convert));
  // Joi may treat two distinct objects as equal.
  if (isUnique(d) && item && !SCALARS.has(d.items?.[0]?.type ?? '')) throw new NeedsJoi();
  if (second || (item && (item.presence !== 'optional' || item.standard !== undefined || item.whens.length > 0))) throw new NeedsJoi();
  const each = item?.test ?? always;
  const tests = all([Array.isArray, ...rules(d.rules, LIST_RULES)]);
  const fillItem = item?.fill;
  return {
    test: (value) => tests(value) && Array.isArray(value) && value.every((one) => one !== undefined && each(one)),
    fill: fillItem ? (value) => Array.isArray(value) && value.forEach(fillItem) : null,
  };
}

const SCALARS = new Set(['string', 'number', 'boolean']);
const isUnique = ({ rules = [] }: SchemaDescription): boolean => rules.some(({ name }) => name === 'unique');

const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
};

function objectOf(d: SchemaDescription, convert: boolean): Typed {
  rules(d.rules, {});
  if (!d.keys) return { test: isPlainObject, fill: null };
  const fields = new Map(Object.entries(d.keys).map(([name, child]) => [name, plain(child, convert)]));
  const demanded = [...fields].filter(([, { presence }]) => presence === 'required').map(([name]) => name);
  const held = [...fields].flatMap(([name, { whens }]) => whens.map((when) => holds(fields, name, when)));
  const takesOthers = flagsOf(d)['unknown'] === true;
  return {
    test: (value) => isPlainObject(value) && fits(value, fields, demanded, takesOthers) && held.every((test) => test(value)),
    fill: filler(fields),
  };
}

function fits(value: Fields, fields: ReadonlyMap<string, Plain>, demanded: readonly string[], takesOthers: boolean): boolean {
  for (const name in value) {
    const field = fields.get(name);
    const one = value[name];
    if (!field && takesOthers) continue;
    if (!field || (one !== undefined && (field.presence === 'forbidden' || !field.test(one)))) return false;
  }
  for (const name of demanded) if (value[name] === undefined) return false;
  return true;
}

function filler(fields: ReadonlyMap<string, Plain>): Plain['fill'] {
  const standards = [...fields].filter(([, { standard }]) => standard !== undefined);
  const nested = [...fields].filter(([, { fill }]) => fill);
  if (standards.length + nested.length === 0) return null;
  return (value) => {
    if (!isPlainObject(value)) return;
    for (const [name, { standard }] of standards) if (value[name] === undefined) value[name] = standard;
    for (const [name, { fill }] of nested) fill?.(value[name]);
  };
}

function conditional({ ref, break: _stops, switch: cases, ...single }: Branches, convert: boolean): When {
  return { ref: siblingIn(ref), arms: (cases ?? [single]).map((arm) => armOf(arm, convert)) };
}

function siblingIn({ path = [], ...more }: NonNullable<Branches['ref']> = {}): string {
  const [name, ...deeper] = path;
  if (name === undefined || deeper.length > 0 || Object.keys(more).length > 0) throw new NeedsJoi();
  return name;
}

function armOf({ is, then, otherwise, ...more }: Branches, convert: boolean): When['arms'][number] {
  if (!is || Object.keys(more).length > 0) throw new NeedsJoi();
  const branch = (d: SchemaDescription | undefined): Plain | null => (d ? branchOf(plain(d, convert)) : null);
  return { is: decisive(is), met: branch(then), otherwise: branch(otherwise) };
}

/**
 * Joi merges a branch into the field; a value that passes both separately also passes the merged
 * schema.
 */
function branchOf(branch: Plain): Plain {
  if (branch.standard !== undefined || branch.fill || branch.whens.length > 0) throw new NeedsJoi();
  return branch;
}

/** Supports only conditions that can be decided with certainty: listed values or presence. */
function decisive({ type, flags, allow, ...more }: SchemaDescription): Test {
  const { only, presence, ...others }: Fields = { ...flags };
  if ((type !== 'any' && type !== 'string') || Object.keys(more).length + Object.keys(others).length > 0) throw new NeedsJoi();
  const values = scalars(allow);
  if (only === true) return (value) => (value === undefined ? presence !== 'required' : values.has(value));
  if (type === 'any' && presence === 'required' && values.size === 0) return (value) => value !== undefined;
  throw new NeedsJoi();
}

/** Tests a field of an object against its condition `when`. */
function holds(fields: ReadonlyMap<string, Plain>, name: string, { ref, arms }: When): (object: Fields) => boolean {
  const sibling = fields.get(ref);
  if (!sibling) throw new NeedsJoi();
  return (object) => {
    const decided = object[ref] === undefined ? sibling.standard : object[ref];
    for (const { is, met, otherwise } of arms) {
      if (is(decided)) return passes(met, object[name]);
      if (otherwise && !passes(otherwise, object[name])) return false;
    }
    return true;
  };
}

function passes(branch: Plain | null, value: unknown): boolean {
  if (!branch) return true;
  return value === undefined ? branch.presence !== 'required' : branch.presence !== 'forbidden' && branch.test(value);
}
