import type { Fields, RuleDescription } from './joi-reflection.ts';

type Scalar = string | number | boolean | null;
export type Test = (value: unknown) => boolean;

export class NeedsJoi extends Error {}

export const always: Test = () => true;
export const never: Test = () => false;
export const isTrimmed: Test = (value) => typeof value !== 'string' || value === value.trim();

function scalar(value: unknown): Scalar {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new NeedsJoi();
}

/**
 * If a list replaces an inherited list, Joi puts `{override: true}` first. This function skips it.
 */
export function scalars(list: readonly unknown[] = []): Set<unknown> {
  const [first, ...rest] = list;
  const isMark = typeof first === 'object' && first !== null && 'override' in first;
  return new Set((isMark ? rest : list).map(scalar));
}

export const isSafeNumber: Test = (value) =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0);

export function all(tests: readonly Test[]): Test {
  const [first, ...others] = tests;
  if (first && others.length === 0) return first;
  return (value) => {
    for (const test of tests) if (!test(value)) return false;
    return true;
  };
}

type Rule = (args: Fields) => Test;

const lengthOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : Number.NaN);
const size = (compare: (length: number, limit: number) => boolean): Rule => {
  return ({ limit }) => {
    const bound = numeric(limit);
    return (value) => compare(lengthOf(value), bound);
  };
};
const amount = (compare: (value: number, limit: number) => boolean): Rule => {
  return ({ limit }) => {
    const bound = numeric(limit);
    return (value) => typeof value === 'number' && compare(value, bound);
  };
};

const SIZE_RULES: Readonly<Record<string, Rule>> = {
  min: size((length, limit) => length >= limit),
  max: size((length, limit) => length <= limit),
  length: size((length, limit) => length === limit),
};
/** Lists whose items need a deep comparison are left to Joi. */
export const LIST_RULES: Readonly<Record<string, Rule>> = {
  ...SIZE_RULES,
  unique: () => (value) => Array.isArray(value) && new Set(value).size === value.length,
};
export const STRING_RULES: Readonly<Record<string, Rule>> = {
  ...SIZE_RULES,
  pattern,
  trim: ({ enabled }) => (enabled === true ? isTrimmed : joiOnly()),
};
export const NUMBER_RULES: Readonly<Record<string, Rule>> = {
  integer: () => Number.isSafeInteger,
  min: amount((value, limit) => value >= limit),
  max: amount((value, limit) => value <= limit),
  greater: amount((value, limit) => value > limit),
  less: amount((value, limit) => value < limit),
};

function joiOnly(): never {
  throw new NeedsJoi();
}

const numeric = (limit: unknown): number => (typeof limit === 'number' ? limit : joiOnly());

function pattern({ regex }: Fields): Test {
  const [, source = '', flags] = /^\/(.*)\/([a-z]*)$/s.exec(String(regex)) ?? joiOnly();
  const compiled = new RegExp(source, flags);
  return (value) => typeof value === 'string' && compiled.test(value);
}

const KNOWN_ARGS = new Set(['limit', 'regex', 'enabled']);

export function rules(list: readonly RuleDescription[] | undefined, known: Readonly<Record<string, Rule>>): Test[] {
  return (list ?? []).map(({ name, args = {}, ...more }) => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!rule || Object.keys(more).length > 0 || !Object.keys(args).every((arg) => KNOWN_ARGS.has(arg))) throw new NeedsJoi();
    return rule(args);
  });
}
