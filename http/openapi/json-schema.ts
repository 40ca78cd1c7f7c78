import type Joi from 'joi';
import {
  type Branches,
  describe,
  type Fields,
  flagsOf,
  type RuleDescription,
  type SchemaDescription,
  titleOf,
} from '../core/joi-reflection.ts';

/** JSON Schema 2020-12, which OpenAPI 3.1 embeds. */
export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
}

export const fieldsOf = (schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> => schema?.properties ?? {};

export const requiredOf = (schema: JsonSchema | undefined): readonly string[] => schema?.required ?? [];

export const itemsOf = (schema: JsonSchema): JsonSchema => schema.items ?? {};

export interface View {
  /** True for responses, because clients must accept additional fields in them. */
  readonly isOpen: boolean;
  /** True for requests, because clients must know which strings may not be empty. */
  readonly saysNonEmpty: boolean;
  named(title: string, schema: JsonSchema): JsonSchema;
}

const INLINE: View = { isOpen: false, saysNonEmpty: false, named: (_title, schema) => schema };

export const PARAMETERS: View = { ...INLINE, saysNonEmpty: true };

/** JSON Schema cannot express custom rules, so they are left to the description. */
export function jsonSchemaOf(schema: Joi.Schema, view: View = INLINE): JsonSchema {
  return fromJoi(describe(schema), view);
}

function fromJoi(d: SchemaDescription, view: View): JsonSchema {
  const flags = flagsOf(d);
  const title = titleOf(d);
  const schema = bare(d, flags, view);
  const nullable = d.allow?.includes(null) ?? false;
  const base = title === undefined ? schema : view.named(title, schema);
  return { ...(nullable ? orNull(base) : base), ...annotations(d, flags) };
}

function bare(d: SchemaDescription, flags: Fields, view: View): JsonSchema {
  if (flags['only'] === true) return listed(d);
  switch (d.type) {
    case 'string':
      return {
        type: 'string',
        ...(view.saysNonEmpty && refusesEmpty(d, flags) && { minLength: 1 }),
        ...bounds(d, 'Length'),
        ...stringRules(d),
      };
    case 'number':
      return { type: ruleOf(d, 'integer') ? 'integer' : 'number', ...numberRules(d) };
    case 'boolean':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date-time' };
    case 'array':
      return { type: 'array', ...items(d, view), ...bounds(d, 'Items'), ...(ruleOf(d, 'unique') && { uniqueItems: true }) };
    case 'object':
      return objectSchema(d, flags, view);
    case 'alternatives':
      return { anyOf: (d.matches ?? []).flatMap((match) => options(match, view)) };
    default:
      return d.whens ? { anyOf: d.whens.flatMap((one) => branches(one, view)) } : {};
  }
}

/** Joi accepts an empty string only if it is listed. With `empty`, Joi treats it as absent. */
const refusesEmpty = ({ allow = [] }: SchemaDescription, flags: Fields): boolean => !allow.includes('') && flags['empty'] === undefined;

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

function listed(d: SchemaDescription): JsonSchema {
  const values = (d.allow ?? []).filter((value) => isScalar(value) && value !== null);
  const [first, ...others] = [...Map.groupBy(values, (value) => typeof value)].map(([type, those]) => ofOneType(type, those));
  if (!first) return {};
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

function ofOneType(type: string, values: readonly unknown[]): JsonSchema {
  return type === 'boolean' && values.length === 2 ? { type } : { type: type === 'number' ? 'integer' : type, enum: values };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(values)) return { ...schema, ...(type !== undefined && { type: [type, 'null'] }), enum: [...values, null] };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (schema['$ref'] !== undefined) return { anyOf: [schema, { type: 'null' }] };
  return type === undefined ? { ...schema, type: 'null' } : { ...schema, type: [type, 'null'] };
}

function annotations(d: SchemaDescription, flags: Fields): JsonSchema {
  const { description, default: standard, unit } = flags;
  const text = [description, unit && `(${String(unit)})`].filter(Boolean).join(' ');
  return {
    ...(text && { description: text }),
    ...defaultOf(d, standard),
    ...(d.examples && { examples: d.examples }),
  };
}

function defaultOf({ metas }: SchemaDescription, standard: unknown): JsonSchema {
  const value = standard ?? metas?.findLast((meta) => meta.default !== undefined)?.default;
  return value !== undefined && isScalar(value) && typeof value !== 'function' ? { default: value } : {};
}

function ruleOf(d: SchemaDescription, name: string): RuleDescription | undefined {
  return d.rules?.find((rule) => rule.name === name);
}

function limitOf(d: SchemaDescription, name: string): number | undefined {
  const limit = ruleOf(d, name)?.args?.['limit'];
  return typeof limit === 'number' ? limit : undefined;
}

function present(fields: Readonly<Record<string, unknown>>): JsonSchema {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function bounds(d: SchemaDescription, what: 'Length' | 'Items'): JsonSchema {
  const exactly = limitOf(d, 'length');
  return present({ [`min${what}`]: exactly ?? limitOf(d, 'min'), [`max${what}`]: exactly ?? limitOf(d, 'max') });
}

function stringRules(d: SchemaDescription): JsonSchema {
  const regex = ruleOf(d, 'pattern')?.args?.['regex'];
  const format = FORMATS.find(([rule]) => ruleOf(d, rule))?.[1];
  return present({ pattern: regex === undefined ? undefined : sourceOf(String(regex)), format });
}

const FORMATS: readonly (readonly [rule: string, format: string])[] = [
  ['uri', 'uri'],
  ['email', 'email'],
  ['isoDate', 'date'],
  ['guid', 'uuid'],
];

const sourceOf = (regex: string): string => regex.slice(1, regex.lastIndexOf('/'));

function numberRules(d: SchemaDescription): JsonSchema {
  const isPositive = ruleOf(d, 'sign')?.args?.['sign'] === 'positive';
  return present({
    minimum: limitOf(d, 'min'),
    maximum: limitOf(d, 'max'),
    exclusiveMinimum: limitOf(d, 'greater') ?? (isPositive ? 0 : undefined),
    exclusiveMaximum: limitOf(d, 'less'),
  });
}

function items(d: SchemaDescription, view: View): JsonSchema {
  const [first, ...others] = (d.items ?? []).map((one) => fromJoi(one, view));
  if (!first) return {};
  return { items: others.length === 0 ? first : { anyOf: [first, ...others] } };
}

const options = (match: Branches, view: View): JsonSchema[] => (match.schema ? [fromJoi(match.schema, view)] : branches(match, view));

function branches({ then: met, otherwise, switch: cases }: Branches, view: View): JsonSchema[] {
  const here = [met, otherwise].filter((branch) => branch !== undefined).filter((branch) => presenceOf(branch) !== 'forbidden');
  return [...here.map((one) => fromJoi(one, view)), ...(cases ?? []).flatMap((one) => branches(one, view))];
}

const presenceOf = (d: SchemaDescription): unknown => flagsOf(d)['presence'];

function objectSchema(d: SchemaDescription, flags: Fields, view: View): JsonSchema {
  const fields = Object.entries(d.keys ?? {}).filter(([, child]) => presenceOf(child) !== 'forbidden');
  const required = fields.filter(([, child]) => presenceOf(child) === 'required').map(([name]) => name);
  const conditions = fields.flatMap(([name, child]) => demands(name, child));
  return {
    type: 'object',
    ...(d.keys && { properties: Object.fromEntries(fields.map(([name, child]) => [name, fromJoi(child, view)])) }),
    ...(required.length > 0 && { required }),
    ...extras(d, flags, view),
    ...(conditions.length > 0 && { allOf: conditions }),
    ...peers(d),
  };
}

function extras(d: SchemaDescription, flags: Fields, view: View): JsonSchema {
  const [extra] = d.patterns ?? [];
  if (extra) return { additionalProperties: extra.rule ? fromJoi(extra.rule, view) : true };
  return d.keys && !view.isOpen && flags['unknown'] !== true ? { additionalProperties: false } : {};
}

/** Returns the conditional rules, for example that `body` is required if `type` is `text`. */
function demands(name: string, d: SchemaDescription): JsonSchema[] {
  return (d.whens ?? []).flatMap(({ ref, switch: cases, ...single }) => {
    const other = ref?.path?.length === 1 ? ref.path[0] : undefined;
    if (other === undefined) return [];
    return (cases ?? [single]).flatMap(({ is, then: met }) => {
      const values = (is?.allow ?? []).filter(isScalar);
      if (!met || presenceOf(met) !== 'required' || values.length === 0) return [];
      return [demand(other, values, name)];
    });
  });
}

function demand(other: string, values: readonly unknown[], name: string): JsonSchema {
  const condition = { properties: { [other]: { enum: values } }, required: [other] };
  // biome-ignore lint/suspicious/noThenProperty: `then` is a JSON Schema keyword
  return { if: condition, then: { required: [name] } };
}

/** Describes relations between fields that JSON Schema can express briefly; omits all others. */
function peers(d: SchemaDescription): JsonSchema {
  const relations = d.dependencies ?? [];
  const either = relations.find(({ rel }) => rel === 'or' || rel === 'xor');
  const needs = relations.filter(({ rel, key }) => rel === 'with' && key !== undefined).map(({ key, peers }) => [key, peers]);
  return {
    ...(either && { [either.rel === 'or' ? 'anyOf' : 'oneOf']: either.peers.map((name) => ({ required: [name] })) }),
    ...(needs.length > 0 && { dependentRequired: Object.fromEntries(needs) }),
  };
}
