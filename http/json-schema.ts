import type Joi from 'joi';

/** JSON Schema 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a Joi schema says, for readers. What JSON Schema cannot say (custom rules) is left to the description. */
export function jsonSchemaOf(schema: Joi.Schema): JsonSchema {
  return fromJoi(schema.describe());
}

type Flags = Readonly<Record<string, unknown>>;

export function fromJoi(d: Joi.Description): JsonSchema {
  const flags: Flags = { ...d.flags };
  const nullable = Array.isArray(d['allow']) && d['allow'].includes(null);
  const base = { ...bare(d, flags), ...annotations(d, flags) };
  return nullable ? orNull(base) : base;
}

function bare(d: Joi.Description, flags: Flags): JsonSchema {
  if (flags['only'] === true) return listed(d);
  switch (d.type) {
    case 'string':
      return { type: 'string', ...bounds(d, 'Length'), ...stringRules(d) };
    case 'number':
      return { type: ruleOf(d, 'integer') ? 'integer' : 'number', ...numberRules(d) };
    case 'boolean':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date-time' };
    case 'array':
      return { type: 'array', ...items(d), ...bounds(d, 'Items'), ...(ruleOf(d, 'unique') && { uniqueItems: true }) };
    case 'object':
      return objectSchema(d, flags);
    case 'alternatives':
      return { anyOf: (d['matches'] ?? []).flatMap(options) };
    default:
      return d['whens'] ? { anyOf: d['whens'].flatMap(branches) } : {};
  }
}

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

function listed(d: Joi.Description): JsonSchema {
  const values = ((d['allow'] ?? []) as unknown[]).filter((value) => isScalar(value) && value !== null);
  const types = [...new Set(values.map((value) => typeof value))];
  return { ...(types.length === 1 && { type: types[0] }), ...(values.length > 0 && { enum: values }) };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(values)) return { ...schema, ...(type !== undefined && { type: [type, 'null'] }), enum: [...values, null] };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  return type === undefined ? { ...schema, type: 'null' } : { ...schema, type: [type, 'null'] };
}

function annotations(d: Joi.Description, flags: Flags): JsonSchema {
  const { description, default: standard, unit } = flags;
  const text = [description, unit && `(${String(unit)})`].filter(Boolean).join(' ');
  return {
    ...(text && { description: text }),
    ...(isScalar(standard) && standard !== undefined && typeof standard !== 'function' && { default: standard }),
    ...(d['examples'] && { examples: d['examples'] }),
  };
}

interface RuleDescription {
  readonly name: string;
  readonly args?: Flags;
}

function ruleOf(d: Joi.Description, name: string): RuleDescription | undefined {
  return ((d['rules'] ?? []) as RuleDescription[]).find((rule) => rule.name === name);
}

function limitOf(d: Joi.Description, name: string): number | undefined {
  const limit = ruleOf(d, name)?.args?.['limit'];
  return typeof limit === 'number' ? limit : undefined;
}

function present(fields: Readonly<Record<string, unknown>>): JsonSchema {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function bounds(d: Joi.Description, what: 'Length' | 'Items'): JsonSchema {
  const exactly = limitOf(d, 'length');
  return present({ [`min${what}`]: exactly ?? limitOf(d, 'min'), [`max${what}`]: exactly ?? limitOf(d, 'max') });
}

function stringRules(d: Joi.Description): JsonSchema {
  const regex = ruleOf(d, 'pattern')?.args?.['regex'];
  const format = FORMATS.find(([rule]) => ruleOf(d, rule))?.[1];
  return present({ pattern: regex === undefined ? undefined : sourceOf(String(regex)), format });
}

const FORMATS: readonly (readonly [rule: string, format: string])[] = [
  ['uri', 'uri'],
  ['email', 'email'],
  ['isoDate', 'date-time'],
  ['guid', 'uuid'],
];

const sourceOf = (regex: string): string => regex.slice(1, regex.lastIndexOf('/'));

function numberRules(d: Joi.Description): JsonSchema {
  const isPositive = ruleOf(d, 'sign')?.args?.['sign'] === 'positive';
  return present({
    minimum: limitOf(d, 'min'),
    maximum: limitOf(d, 'max'),
    exclusiveMinimum: limitOf(d, 'greater') ?? (isPositive ? 0 : undefined),
    exclusiveMaximum: limitOf(d, 'less'),
  });
}

function items(d: Joi.Description): JsonSchema {
  const kinds = ((d['items'] ?? []) as Joi.Description[]).map(fromJoi);
  return kinds.length === 0 ? {} : { items: kinds.length === 1 ? kinds[0] : { anyOf: kinds } };
}

interface Branches {
  readonly schema?: Joi.Description;
  readonly then?: Joi.Description;
  readonly otherwise?: Joi.Description;
  readonly switch?: readonly Branches[];
}

const options = (match: Branches): JsonSchema[] => (match.schema ? [fromJoi(match.schema)] : branches(match));

function branches({ then: met, otherwise, switch: cases }: Branches): JsonSchema[] {
  const here = [met, otherwise].filter((branch) => branch !== undefined).filter((branch) => presenceOf(branch) !== 'forbidden');
  return [...here.map(fromJoi), ...(cases ?? []).flatMap(branches)];
}

const presenceOf = ({ flags }: Joi.Description): unknown => ({ ...flags })['presence' as keyof object];

function objectSchema(d: Joi.Description, flags: Flags): JsonSchema {
  const fields = Object.entries((d['keys'] ?? {}) as Record<string, Joi.Description>).filter(
    ([, child]) => presenceOf(child) !== 'forbidden',
  );
  const required = fields.filter(([, child]) => presenceOf(child) === 'required').map(([name]) => name);
  const conditions = fields.flatMap(([name, child]) => demands(name, child));
  return {
    type: 'object',
    ...(d['keys'] && { properties: Object.fromEntries(fields.map(([name, child]) => [name, fromJoi(child)])) }),
    ...(required.length > 0 && { required }),
    ...extras(d, flags),
    ...(conditions.length > 0 && { allOf: conditions }),
    ...peers(d),
  };
}

function extras(d: Joi.Description, flags: Flags): JsonSchema {
  const [extra] = (d['patterns'] ?? []) as { rule?: Joi.Description }[];
  if (extra) return { additionalProperties: extra.rule ? fromJoi(extra.rule) : true };
  return d['keys'] && flags['unknown'] !== true ? { additionalProperties: false } : {};
}

/** `body` is required when `type` is `text`, as if/then. */
function demands(name: string, d: Joi.Description): JsonSchema[] {
  return ((d['whens'] ?? []) as Record<string, unknown>[]).flatMap((when) => {
    const { ref, switch: cases, ...single } = when as { ref?: { path?: string[] }; switch?: Record<string, Joi.Description>[] };
    const other = ref?.path?.length === 1 ? ref.path[0] : undefined;
    if (other === undefined) return [];
    return (cases ?? [single as Record<string, Joi.Description>]).flatMap(({ is, then: met }) => {
      const values = ((is?.['allow'] ?? []) as unknown[]).filter(isScalar);
      if (!met || presenceOf(met) !== 'required' || values.length === 0) return [];
      return [demand(other, values, name)];
    });
  });
}

function demand(other: string, values: readonly unknown[], name: string): JsonSchema {
  const condition = { properties: { [other]: { enum: values } }, required: [other] };
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word
  return { if: condition, then: { required: [name] } };
}

/** Fields that come in company: Joi's `or`, `and` and `with`; its other relations have no short form here. */
function peers(d: Joi.Description): JsonSchema {
  const relations = (d['dependencies'] ?? []) as { rel: string; key?: string; peers: string[] }[];
  const either = relations.find(({ rel }) => rel === 'or' || rel === 'xor');
  const needs = relations.filter(({ rel, key }) => rel === 'with' && key !== undefined).map(({ key, peers }) => [key, peers]);
  return {
    ...(either && { [either.rel === 'or' ? 'anyOf' : 'oneOf']: either.peers.map((name) => ({ required: [name] })) }),
    ...(needs.length > 0 && { dependentRequired: Object.fromEntries(needs) }),
  };
}
