/**
 * Makes bodies with as many values as an endpoint accepts. Each is a plausible request in which the
 * lists and maps of one field are as long as their schema and the limits of bodies allow.
 */

import { MAX_BODY_BYTES, MAX_KEYS, MAX_OPEN_BODY_BYTES } from '../../../http/core/body.ts';
import type { RowFacts } from '../../../http/core/engine.ts';
import { exampleOf } from '../../../http/openapi/example.ts';
import { fieldsOf, itemsOf, type JsonSchema, jsonSchemaOf, requiredOf } from '../../../http/openapi/json-schema.ts';

export interface FullBody {
  readonly field: string;
  readonly body: unknown;
}

/** Bodies with fewer values are skipped, because they resemble those of the other cases. */
const FEW_VALUES = 100;
/** Maximum number of values that the gateway accepts in addition to the keys. */
const MAX_VALUES = 20_000;
const LENGTH = 1_000;
const MAP_LENGTH = 50;

export function* fullestBodies({ body: schema, example, maxKeys = MAX_KEYS, maxBytes, access, loopback }: RowFacts): Generator<FullBody> {
  if (!schema) return;
  const bytes = maxBytes ?? (access === 'none' && !loopback ? MAX_OPEN_BODY_BYTES : MAX_BODY_BYTES);
  const whole = jsonSchemaOf(schema);
  for (const [field, child] of Object.entries(fieldsOf(whole))) {
    const bodyOf = (share: number): object => ({ ...Object(example ?? exampleOf(whole)), [field]: full(child, share, false) });
    let share = 1;
    let body = bodyOf(share);
    for (let excess = excessOf(body, maxKeys, bytes); excess > 1; excess = excessOf(body, maxKeys, bytes)) {
      if (share * LENGTH < 1) break;
      share /= excess * 1.02;
      body = bodyOf(share);
    }
    if (countOf(body).values > FEW_VALUES) yield { field, body };
  }
}

function excessOf(body: unknown, maxKeys: number, maxBytes: number): number {
  const { keys, values } = countOf(body);
  return Math.max(keys / maxKeys, values / MAX_VALUES, Buffer.byteLength(JSON.stringify(body)) / maxBytes);
}

function countOf(value: unknown): { readonly keys: number; readonly values: number } {
  if (typeof value !== 'object' || value === null) return { keys: 0, values: 1 };
  const counts = Object.values(value).map(countOf);
  const own = Array.isArray(value) ? 0 : counts.length;
  return { keys: own + sum(counts.map(({ keys }) => keys)), values: sum(counts.map(({ values }) => values)) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** `share` shortens the outermost list. The lists inside it are as long as allowed. */
function full(schema: JsonSchema, share: number, isInside: boolean, nth = 0): unknown {
  const { anyOf, type, maxItems, maxProperties, additionalProperties } = schema;
  if (Array.isArray(anyOf) && type === undefined) return largest(anyOf.map((option: JsonSchema) => full(option, share, isInside, nth)));
  const types = [type].flat();
  const many = (most: unknown, ifUnnamed: number): number[] => {
    const length = typeof most === 'number' ? most : ifUnnamed;
    return Array.from({ length: isInside ? length : Math.max(1, Math.floor(length * share)) }, (_, place) => place);
  };
  if (types.includes('array')) return many(maxItems, LENGTH).map((place) => full(itemsOf(schema), share, true, place));
  if (!types.includes('object')) return apart(exampleOf(schema), schema, nth);
  if (Object.keys(fieldsOf(schema)).length > 0) return fullFields(schema, share, isInside, nth);
  const value: JsonSchema = { type: 'string', ...Object(additionalProperties) };
  return Object.fromEntries(many(maxProperties, MAP_LENGTH).map((place) => [`k${place}`, full(value, share, true, place)]));
}

function fullFields(schema: JsonSchema, share: number, isInside: boolean, nth: number): unknown {
  const example = Object(exampleOf(schema));
  const required = requiredOf(schema);
  const fields = Object.entries(fieldsOf(schema)).filter(
    ([name, child]) => required.includes(name) || name in example || holdsLists(child),
  );
  return Object.fromEntries(fields.map(([name, child]) => [name, full(child, share, isInside, nth)]));
}

function holdsLists(schema: JsonSchema): boolean {
  if ([schema['type']].flat().includes('array')) return true;
  const options: readonly JsonSchema[] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return [...Object.values(fieldsOf(schema)), ...options].some(holdsLists);
}

const largest = (values: readonly unknown[]): unknown => values.toSorted((one, other) => countOf(other).values - countOf(one).values)[0];

/** Makes each item's text different, because many lists reject duplicates. */
function apart(value: unknown, { pattern, enum: values, maxLength }: JsonSchema, nth: number): unknown {
  if (typeof value !== 'string' || values !== undefined) return value;
  if (/^[0-9A-Z]{26}$/.test(value)) return `${value.slice(0, 20)}${100_000 + nth}`;
  if (pattern !== undefined) return value;
  if (/^\+?\d+$/.test(value)) return `${value.slice(0, 5)}${1_000_000 + nth}`;
  return typeof maxLength === 'number' ? `${value}${nth}`.slice(-maxLength) : `${value}${nth}`;
}
