/**
 * Lists what a change of the API takes away from its clients.
 *
 * Compares two OpenAPI documents: the last release and the current one. A request may accept more
 * and an answer or an event may contain more; neither may lose, rename or narrow anything. Error
 * responses and headers are not compared. Schemas are compared by their keywords, so a reformulated
 * schema with the same meaning is listed too; a reader decides.
 */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses?: Readonly<Record<string, Content>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface Document {
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly parameters: Readonly<Record<string, Parameter>> };
}

/** The writer of a value: the client in a request, or the gateway in a response or an event. */
type Writer = 'client' | 'gateway';

/** Bounds where a larger value narrows what is accepted, and where a smaller one does. */
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
/** Lower bounds that hold where a document names none. Version 0.1.0 refused empty texts and did not say so. */
const UNSAID: Readonly<Record<string, number>> = { minLength: 1, minItems: 0, minProperties: 0 };
const EQUAL = ['pattern', 'format', 'uniqueItems', 'multipleOf'] as const;

/** Returns one line for each change that breaks a client, such as `POST /v1/webhooks body.url: now required`. */
export function breakingChanges(before: Document, after: Document): string[] {
  const found = new Set<string>();
  const compare = comparer(before, after, (place, change) => found.add(`${place}: ${change}`));
  const current = new Map(Object.entries(after.paths).map(([path, methods]) => [shapeOf(path), methods]));
  for (const [path, methods] of Object.entries(before.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const place = `${method.toUpperCase()} ${path}`;
      const now = current.get(shapeOf(path))?.[method];
      if (!now) found.add(`${place}: removed`);
      else compare.operation(place, operation, now);
    }
  for (const [type, { post }] of Object.entries(before.webhooks)) {
    const now = after.webhooks[type]?.['post'];
    if (!now) found.add(`event ${type}: removed`);
    else compare.content(`event ${type}`, post?.requestBody, now.requestBody, 'gateway');
  }
  return [...found].sort();
}

/** A path without the names of its parameters, which no client sends. */
const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

/** Compares schemas of two documents. `report` gets each difference that breaks a client. */
function comparer(before: Document, after: Document, report: (place: string, change: string) => void) {
  const seen = new Set<string>();

  function schemas(place: string, old: Schema, now: Schema, writer: Writer): void {
    const pair = `${old.$ref} ${now.$ref} ${writer}`;
    if (old.$ref && now.$ref && seen.has(pair)) return;
    seen.add(pair);
    const [a, b] = [resolved(before, old), resolved(after, now)];
    const at = old.$ref ? old.$ref.split('/').at(-1)! : place;
    if (writer === 'client') for (const change of narrowed(a, b)) report(at, change);
    else for (const type of gained(typesOf(a), typesOf(b))) report(at, `may be ${type}`);
    properties(at, a, b, writer);
    for (const [part, x, y] of parts(a, b)) schemas(`${at}${part}`, x, y, writer);
  }

  function properties(at: string, a: Schema, b: Schema, writer: Writer): void {
    for (const [name, property] of Object.entries(a.properties ?? {})) {
      const child = b.properties?.[name];
      if (child) schemas(`${at}.${name}`, property, child, writer);
      else if (writer === 'gateway' || b.additionalProperties === false) report(`${at}.${name}`, 'removed');
    }
    requiredness(at, a, b, writer);
  }

  function requiredness(at: string, a: Schema, b: Schema, writer: Writer): void {
    if (writer === 'client') for (const name of gained(a.required, b.required)) report(`${at}.${name}`, 'now required');
    else for (const name of gained(b.required, a.required)) if (b.properties?.[name]) report(`${at}.${name}`, 'no longer always there');
  }

  function content(place: string, old: Content | undefined, now: Content | undefined, writer: Writer): void {
    for (const [type, { schema }] of Object.entries(old?.content ?? {})) {
      const current = now?.content?.[type]?.schema;
      if (!current) report(`${place} ${type}`, 'removed');
      else if (schema) schemas(`${place} ${type.endsWith('json') ? 'body' : type}`, schema, current, writer);
    }
  }

  function parameters(place: string, old: Operation, now: Operation): void {
    const [had, has] = [parametersOf(before, old), parametersOf(after, now)];
    for (const [name, { schema }] of had) {
      const current = has.get(name);
      if (!current) report(`${place} ${name}`, 'removed');
      else if (schema && current.schema) schemas(`${place} ${name}`, schema, current.schema, 'client');
    }
    for (const [name, { required }] of has) if (required && !had.get(name)?.required) report(`${place} ${name}`, 'now required');
  }

  function operation(place: string, old: Operation, now: Operation): void {
    parameters(place, old, now);
    if (now.requestBody?.required && !old.requestBody?.required) report(`${place} body`, 'now required');
    content(place, old.requestBody, now.requestBody, 'client');
    const answers = Object.entries(old.responses ?? {}).filter(([status]) => status.startsWith('2'));
    for (const [status, answer] of answers) {
      const current = now.responses?.[status];
      if (!current) report(`${place} ${status}`, 'removed');
      else content(`${place} ${status}`, answer, current, 'gateway');
    }
  }

  return { operation, content };
}

const gained = <T>(old: readonly T[] = [], now: readonly T[] = []): T[] => now.filter((one) => !old.includes(one));

/** Returns what a request schema no longer accepts, one line each. */
function narrowed(old: Schema, now: Schema): string[] {
  const [had, has] = [typesOf(old), typesOf(now)];
  const types = had.length === 0 ? has : has.length === 0 ? [] : gained(has, had);
  const values = now.enum && old.enum ? gained(now.enum, old.enum) : [];
  const bounds = [
    ...LOWER.filter((key) => Number(now[key] ?? -Infinity) > Number(old[key] ?? UNSAID[key] ?? -Infinity)),
    ...UPPER.filter((key) => Number(now[key] ?? Infinity) < Number(old[key] ?? Infinity)),
    ...EQUAL.filter((key) => now[key] !== undefined && now[key] !== old[key]),
    ...(now.enum && !old.enum ? ['enum'] : []),
  ];
  return [...[...types, ...values].map((one) => `no longer takes ${one}`), ...bounds.map((key) => `${key} is now ${now[key]}`)];
}

/** The parts of two schemas that are compared with each other, with their place. */
function* parts(a: Schema, b: Schema): Generator<readonly [part: string, old: Schema, now: Schema]> {
  if (a.items && b.items) yield ['[]', a.items, b.items];
  if (typeof a.additionalProperties === 'object' && typeof b.additionalProperties === 'object')
    yield ['{}', a.additionalProperties, b.additionalProperties];
  const [old, now] = [a.anyOf ?? a.oneOf ?? [], b.anyOf ?? b.oneOf ?? []];
  if (old.length === now.length) for (const [index, variant] of old.entries()) yield [`|${index}`, variant, now[index]!];
}

/** The schema without `$ref`; `anyOf` of one schema and null becomes that schema with the type null beside its own. */
function resolved(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name) return resolved(document, document.components.schemas[name]!);
  const variants = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
  if (variants?.length !== 1) return merged(schema, (part) => resolved(document, part));
  const only = resolved(document, variants[0]!);
  return { ...only, type: [...typesOf(only), 'null'] };
}

/** Parameters by their place and name; those of the path by their position. */
function parametersOf({ components }: Document, { parameters = [] }: Operation): Map<string, Parameter> {
  const all = parameters.map((one) => (one.$ref ? components.parameters[one.$ref.split('/').at(-1)!]! : one));
  const path = all.filter((one) => one.in === 'path');
  return new Map(all.map((one) => [one.in === 'path' ? `path ${path.indexOf(one) + 1}` : `${one.in} ${one.name}`, one]));
}

const typesOf = ({ type, anyOf, oneOf, enum: values }: Schema): string[] => {
  if (type !== undefined) return typeof type === 'string' ? [type] : [...type];
  const variants = anyOf ?? oneOf;
  if (variants) return [...new Set(variants.flatMap(typesOf))];
  return values ? [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))] : [];
};

/** A schema with the parts of its `allOf` merged into it. */
function merged(schema: Schema, resolve: (part: Schema) => Schema): Schema {
  if (!schema.allOf) return schema;
  const parts = [{ ...schema, allOf: undefined }, ...schema.allOf.map(resolve)];
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties ?? {})),
    required: parts.flatMap(({ required }) => required ?? []),
  });
}
