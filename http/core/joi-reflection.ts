import Joi from 'joi';

/** The parts of a Joi description that the gateway reads. Joi itself types them as `any`. */
export interface SchemaDescription {
  readonly type?: string;
  readonly flags?: object;
  readonly rules?: readonly RuleDescription[];
  readonly allow?: readonly unknown[];
  readonly invalid?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly metas?: readonly { readonly title?: string; readonly default?: unknown }[];
  readonly keys?: Readonly<Record<string, SchemaDescription>>;
  readonly items?: readonly SchemaDescription[];
  readonly matches?: readonly Branches[];
  readonly whens?: readonly Branches[];
  readonly patterns?: readonly { readonly rule?: SchemaDescription }[];
  readonly dependencies?: readonly { readonly rel: string; readonly key?: string; readonly peers: readonly string[] }[];
}

export interface RuleDescription {
  readonly name: string;
  readonly args?: Fields;
}

export interface Branches {
  readonly ref?: { readonly path?: readonly string[] };
  readonly schema?: SchemaDescription;
  readonly is?: SchemaDescription;
  readonly then?: SchemaDescription;
  readonly otherwise?: SchemaDescription;
  readonly break?: boolean;
  readonly switch?: readonly Branches[];
}

export type Fields = Readonly<Record<string, unknown>>;

const described = new WeakMap<Joi.Schema, SchemaDescription>();

export function describe(schema: Joi.Schema): SchemaDescription {
  const known = described.get(schema) ?? schema.describe();
  described.set(schema, known);
  return known;
}

export function listsOf(schema: Joi.Schema): readonly (readonly [string, Joi.Schema])[] {
  if (!('extract' in schema)) return [];
  const lists = Object.entries(describe(schema).keys ?? {}).filter(([, { type }]) => type === 'array');
  return lists.map(([name]) => [name, schema.extract(name)]);
}

export function itemOf(list: Joi.Schema): Joi.Schema | null {
  const [item, ...others]: readonly Joi.Schema[] = list.$_terms['items'] ?? [];
  return item && others.length === 0 ? item : null;
}

export function withoutItems(list: Joi.Schema): Joi.Schema {
  const { items: _items, ...bare } = list.describe();
  return Joi.build(bare);
}

export const flagsOf = ({ flags }: SchemaDescription): Fields => ({ ...flags });

/** Uses the last title, because a schema that extends another one sets its own. */
export const titleOf = ({ metas }: SchemaDescription): string | undefined => metas?.findLast(({ title }) => title !== undefined)?.title;

export const hasKey = (schema: Joi.ObjectSchema, key: string): boolean =>
  schema.$_terms['keys']?.some((one: { key: string }) => one.key === key) ?? false;
