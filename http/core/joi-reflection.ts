import Joi from 'joi';

/** The library's own description of a schema, with the parts that this code reads. Joi types them as anything. */
export interface SchemaDescription {
  readonly type?: string;
  readonly flags?: object;
  readonly rules?: readonly RuleDescription[];
  /** Values that are allowed by name, and the only ones where the flag `only` says so. */
  readonly allow?: readonly unknown[];
  readonly invalid?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly metas?: readonly { readonly title?: string; readonly default?: unknown }[];
  readonly keys?: Readonly<Record<string, SchemaDescription>>;
  readonly items?: readonly SchemaDescription[];
  /** Of alternatives. */
  readonly matches?: readonly Branches[];
  readonly whens?: readonly Branches[];
  /** What keys beyond the named ones hold. */
  readonly patterns?: readonly { readonly rule?: SchemaDescription }[];
  readonly dependencies?: readonly { readonly rel: string; readonly key?: string; readonly peers: readonly string[] }[];
}

export interface RuleDescription {
  readonly name: string;
  readonly args?: Fields;
}

/** One condition, or several in turn under `switch`. */
export interface Branches {
  readonly ref?: { readonly path?: readonly string[] };
  readonly schema?: SchemaDescription;
  readonly is?: SchemaDescription;
  readonly then?: SchemaDescription;
  readonly otherwise?: SchemaDescription;
  /** Later conditions are not asked. */
  readonly break?: boolean;
  readonly switch?: readonly Branches[];
}

export type Fields = Readonly<Record<string, unknown>>;

const described = new WeakMap<Joi.Schema, SchemaDescription>();

/** Made once: the library judges each level of what it describes by a schema of its own. */
export function describe(schema: Joi.Schema): SchemaDescription {
  const known = described.get(schema) ?? schema.describe();
  described.set(schema, known);
  return known;
}

/** The lists among the fields of an object, by their names. */
export function listsOf(schema: Joi.Schema): readonly (readonly [string, Joi.Schema])[] {
  if (!('extract' in schema)) return [];
  const lists = Object.entries(describe(schema).keys ?? {}).filter(([, { type }]) => type === 'array');
  return lists.map(([name]) => [name, schema.extract(name)]);
}

/** The schema of all items of a list; null: it has none, or several. */
export function itemOf(list: Joi.Schema): Joi.Schema | null {
  const [item, ...others]: readonly Joi.Schema[] = list.$_terms['items'] ?? [];
  return item && others.length === 0 ? item : null;
}

/** The list's own rules, whatever its items are. */
export function withoutItems(list: Joi.Schema): Joi.Schema {
  const { items: _items, ...bare } = list.describe();
  return Joi.build(bare);
}

export const flagsOf = ({ flags }: SchemaDescription): Fields => ({ ...flags });

/** The name under which a schema stands in the documents; undefined: it has none. The last one counts: what extends a schema takes its own. */
export const titleOf = ({ metas }: SchemaDescription): string | undefined => metas?.findLast(({ title }) => title !== undefined)?.title;

/** Has an object this key by name? */
export const hasKey = (schema: Joi.ObjectSchema, key: string): boolean =>
  schema.$_terms['keys']?.some((one: { key: string }) => one.key === key) ?? false;
