import type { Branches, Fields, RuleDescription, SchemaDescription } from './joi-reflection.ts';

/**
 * Cuts lists to one item more than the schema allows, so that they stay invalid but are cheap to
 * validate.
 */
export function cutLists(value: unknown, schema: SchemaDescription): unknown {
  if (Array.isArray(value)) return cutList(value, ofType(schema, 'array'));
  const { keys, patterns, rules = [] } = ofType(schema, 'object');
  if (!keys && patterns && isFields(value)) return cutMap(value, maxIn(rules));
  if (!keys || !isFields(value)) return value;
  const cut = Object.entries(keys).flatMap(([name, child]) => {
    const before = value[name];
    const after = typeof before === 'object' && before !== null ? cutLists(before, child) : before;
    return after === before ? [] : [[name, after] as const];
  });
  return cut.length === 0 ? value : { ...value, ...Object.fromEntries(cut) };
}

function cutList(list: readonly unknown[], { rules = [], items = [] }: SchemaDescription): readonly unknown[] {
  const max = maxIn(rules);
  const some = list.length > max ? list.slice(0, max + 1) : list;
  const [item, ...others] = items;
  if (!item || others.length > 0 || !holdsLists(item)) return some;
  const after = some.map((one) => cutLists(one, item));
  return after.some((one, nth) => one !== list[nth]) ? after : some;
}

function cutMap(map: Fields, max: number): Fields {
  const names = Object.keys(map);
  return names.length > max ? Object.fromEntries(names.slice(0, max + 1).map((name) => [name, map[name]])) : map;
}

function maxIn(rules: readonly RuleDescription[]): number {
  const max = rules.find(({ name }) => name === 'max' || name === 'length')?.args?.['limit'];
  return typeof max === 'number' ? max : Number.POSITIVE_INFINITY;
}

const NONE: SchemaDescription = {};

function ofType(schema: SchemaDescription, type: 'array' | 'object'): SchemaDescription {
  if (schema.type === type) return schema;
  if (schema.type !== 'alternatives') return NONE;
  return optionsOf(schema).find((option) => option.type === type) ?? NONE;
}

export const optionsOf = ({ matches = [] }: SchemaDescription): readonly SchemaDescription[] =>
  matches.flatMap(({ schema, then, otherwise }: Branches) => [schema, then, otherwise].filter((option) => option !== undefined));

const holdsLists = (schema: SchemaDescription): boolean =>
  schema.type === 'array' || schema.patterns !== undefined || [...Object.values(schema.keys ?? {}), ...optionsOf(schema)].some(holdsLists);

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
