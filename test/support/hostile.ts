import type { RowFacts } from '../../http/core/engine.ts';
import { exampleOf } from '../../http/openapi/example.ts';
import { type JsonSchema, jsonSchemaOf } from '../../http/openapi/json-schema.ts';
import { parametersOf } from '../../http/openapi/openapi.ts';

/** A request that an honest client would not send. */
export interface HostileRequest {
  readonly row: RowFacts;
  readonly title: string;
  /** `path` includes the query; `body` is raw text with `type` as its Content-Type. The caller adds credentials. */
  readonly request: { readonly method: string; readonly path: string; readonly body?: string; readonly type?: string };
  /**
   * Whether the endpoint must return 4xx with a code. Otherwise anything except 5xx is accepted, because the value may
   * be valid.
   */
  readonly mustRefuse: boolean;
}

/**
 * A bad value in one place of an otherwise plausible request. `json` is raw, because objects cannot represent every
 * text.
 */
export interface Attack {
  readonly title: string;
  readonly json: string;
  readonly mustRefuse: boolean;
}

/** Bad values for requests. */
export interface Attacks {
  /** Replaces the whole body. */
  whole(row: RowFacts): Iterable<Attack>;
  /** Replaces one field of a body. */
  field(row: RowFacts, schema: JsonSchema): Iterable<Attack>;
  /** Replaces a path or query parameter. URL-encoded. */
  address(row: RowFacts): Iterable<string>;
}

const LONE = '\\ud800';

/**
 * Generates attacks from the endpoint tables: invalid values in every path, query and body field, and bodies that are
 * invalid as a whole. `known` gives existing path parameters (`sessionId`, or `changeTemplate.id` for one endpoint),
 * so that attacks get past a 404.
 */
export function* hostileRequests(
  rows: readonly RowFacts[],
  known: Readonly<Record<string, string>> = {},
  attacks: Attacks = WRONG,
): Generator<HostileRequest> {
  for (const row of rows) {
    const path = likelyPath(row, known);
    yield* inPath(row, known, attacks);
    yield* inQuery(row, path, attacks);
    if (row.method !== 'GET') yield* asBody(row, path, attacks);
    if (row.body) yield* inBody(row, path, jsonSchemaOf(row.body), attacks);
  }
}

export function likelyPath(row: RowFacts, known: Readonly<Record<string, string>>): string {
  const likely = new Map(
    parametersOf(row).map(({ name, schema }) => [name, known[`${row.id}.${name}`] ?? known[name] ?? String(exampleOf(schema))]),
  );
  return row.path.replace(/\{(\w+)[^}]*\}/g, (_whole, name: string) => encodeURIComponent(likely.get(name) ?? 'x'));
}

const STRANGE_TEXTS = [
  '%00',
  '%ED%A0%80',
  '..%2f..%2fetc%2fpasswd',
  '%7B%22$gt%22:%22%22%7D',
  'a'.repeat(5_000),
  '-1',
  '1e400',
  '%25',
  "'%20OR%20''%3D'",
];

function* inPath(row: RowFacts, known: Readonly<Record<string, string>>, attacks: Attacks): Generator<HostileRequest> {
  for (const { name } of parametersOf(row).filter(({ in: where }) => where === 'path')) {
    for (const text of attacks.address(row)) {
      const path = likelyPath({ ...row, path: row.path.replace(new RegExp(`\\{${name}[^}]*\\}`), text) }, known);
      yield { row, title: `${row.id}: path ${name} is ${text.slice(0, 30)}`, request: { method: row.method, path }, mustRefuse: false };
    }
  }
}

function* inQuery(row: RowFacts, path: string, attacks: Attacks): Generator<HostileRequest> {
  const ask = (title: string, query: string, mustRefuse: boolean): HostileRequest => ({
    row,
    title: `${row.id}: query ${title}`,
    request: { method: row.method, path: `${path}?${query}` },
    mustRefuse,
  });
  for (const name of ['no_such_parameter', '__proto__', 'constructor', 'a[$gt]', '$where'])
    yield ask(`has ${name}`, `${encodeURIComponent(name)}=1`, !takesAnyName(row));
  for (const { name, schema } of parametersOf(row).filter(({ in: where }) => where === 'query')) {
    yield ask(`${name} twice`, `${name}=1&${name}=2`, isSingle(schema));
    yield ask(`${name}[$gt]`, `${name}[$gt]=`, true);
    for (const text of attacks.address(row))
      yield ask(`${name} is ${text.slice(0, 30)}`, `${name}=${text}`, !isTextual(schema) && text !== '-1');
  }
}

/** Page endpoints accept any name in their path. */
const takesAnyName = ({ query }: RowFacts): boolean =>
  (query?.describe() as { flags?: { unknown?: boolean } } | undefined)?.flags?.unknown === true;

const typesOf = ({ type }: JsonSchema): readonly unknown[] => [type].flat();
const isSingle = (schema: JsonSchema): boolean => ['string', 'integer', 'number', 'boolean'].some((type) => typesOf(schema).includes(type));
const isTextual = (schema: JsonSchema): boolean => typesOf(schema).includes('string') || !isSingle(schema);

const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Bodies that are invalid for every endpoint. */
const WHOLE_BODIES: readonly Attack[] = [
  { title: 'not JSON', json: '{"a":', mustRefuse: true },
  { title: 'a number too many', json: '{} 1', mustRefuse: true },
  { title: 'an array', json: '[]', mustRefuse: true },
  { title: 'null', json: 'null', mustRefuse: true },
  { title: 'a text', json: '"x"', mustRefuse: true },
  { title: 'an unknown field', json: '{"no_such_field":1}', mustRefuse: true },
  { title: '__proto__', json: '{"__proto__":{"admin":true}}', mustRefuse: true },
  { title: 'constructor.prototype', json: '{"constructor":{"prototype":{"admin":true}}}', mustRefuse: true },
  { title: 'an operator', json: '{"$where":"1"}', mustRefuse: true },
  { title: 'a dotted name', json: '{"a.b":1}', mustRefuse: true },
  { title: 'deep nesting', json: deep(40), mustRefuse: true },
  { title: 'very deep nesting', json: deep(100_000), mustRefuse: true },
  { title: 'over 1 MB', json: `{"a":"${'x'.repeat(1024 * 1024)}"}`, mustRefuse: true },
  { title: 'half a character', json: `{"a":"${LONE}"}`, mustRefuse: true },
  { title: 'half a character in a name', json: `{"${LONE}":1}`, mustRefuse: true },
];

function* asBody(row: RowFacts, path: string, attacks: Attacks): Generator<HostileRequest> {
  const request = { method: row.method, path };
  if (row.bytes) return;
  for (const { title, json, mustRefuse } of attacks.whole(row)) {
    yield { row, title: `${row.id}: body is ${title}`, request: { ...request, body: json, type: 'application/json' }, mustRefuse };
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    yield { row, title: `${row.id}: body is ${type}`, request: { ...request, body: '{}', type }, mustRefuse: true };
  }
}

function* inBody(row: RowFacts, path: string, schema: JsonSchema, attacks: Attacks): Generator<HostileRequest> {
  const likely = exampleOf(schema);
  for (const { at, schema: field } of fieldsOf(schema)) {
    for (const { title, json, mustRefuse } of attacks.field(row, field)) {
      const body = spoiled(likely, at, json);
      yield {
        row,
        title: `${row.id}: ${at.join('.')} is ${title}`,
        request: { method: row.method, path, body, type: 'application/json' },
        mustRefuse,
      };
    }
  }
}

export interface Field {
  readonly at: readonly (string | number)[];
  readonly schema: JsonSchema;
}

export function* fieldsOf(schema: JsonSchema, at: readonly (string | number)[] = []): Generator<Field> {
  for (const [name, child] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)) {
    const here = [...at, name];
    yield { at: here, schema: child };
    yield* fieldsOf(child, here);
    const items = child['items'] as JsonSchema | undefined;
    if (items) {
      yield { at: [...here, 0], schema: items };
      yield* fieldsOf(items, [...here, 0]);
    }
  }
}

const ANYWHERE: readonly Attack[] = [
  { title: '{"$gt":""}', json: '{"$gt":""}', mustRefuse: true },
  { title: '__proto__', json: '{"__proto__":{}}', mustRefuse: true },
  { title: 'half a character', json: `"${LONE}"`, mustRefuse: true },
];

const BY_TYPE: readonly (readonly [type: string, json: string])[] = [
  ['number', '1e400'],
  ['number', '-9007199254740993'],
  ['number', '12345'],
  ['string', '"1"'],
  ['string', '""'],
  ['string', `"${'x'.repeat(500_000)}"`],
  ['string', '"\\u0000"'],
  ['boolean', 'true'],
  ['array', '[]'],
  ['array', `[${'1,'.repeat(20_000)}1]`],
  ['object', '{}'],
  ['null', 'null'],
];

function* attacksOn(schema: JsonSchema): Generator<Attack> {
  yield* ANYWHERE;
  const types = typesOf(schema);
  const isKnown = types[0] !== undefined;
  for (const [type, json] of BY_TYPE) {
    const fits = types.includes(type) || (type === 'number' && types.includes('integer'));
    yield { title: json.slice(0, 30), json, mustRefuse: isKnown && !fits };
  }
}

const NETWORK_FEATURE = /\/(groups|communities|channels|business-profile|catalog|labels|account|calls|blocklist|status)(\/|$)/;

/** Yields text with unprintable characters, for fields that phones display. */
function* unprintable({ path }: RowFacts, schema: JsonSchema): Generator<Attack> {
  if (!path.startsWith('/v1/sessions/') || !NETWORK_FEATURE.test(path) || !typesOf(schema).includes('string')) return;
  for (const text of ['Sale\u0000s', 'Sale\u001b[1m', 'Sale\u0085s'])
    yield { title: JSON.stringify(text), json: JSON.stringify(text), mustRefuse: true };
}

/** Values that must always be rejected. */
const WRONG: Attacks = {
  whole: () => WHOLE_BODIES,
  field: (row, schema) => [...attacksOn(schema), ...unprintable(row, schema)],
  address: () => STRANGE_TEXTS,
};

/** Returns the plausible body with raw JSON in one place. */
function spoiled(likely: unknown, at: readonly (string | number)[], json: string): string {
  const mark = '@@here@@';
  return JSON.stringify(replaced(likely, at, mark)).replace(JSON.stringify(mark), () => json);
}

function replaced(value: unknown, [first, ...rest]: readonly (string | number)[], mark: string): unknown {
  if (first === undefined) return mark;
  if (typeof first === 'number') return [replaced(undefined, rest, mark)];
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  return { ...fields, [first]: replaced(fields[first], rest, mark) };
}
