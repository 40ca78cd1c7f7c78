import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema, View } from './json-schema.ts';

export class Components {
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #names = new Map<string, string>();

  /** Response schemas allow other fields, because new ones may be added later. */
  readonly answers: View = { isOpen: true, saysNonEmpty: false, named: (title, schema) => this.add(title, schema) };

  /** Gives records in requests their own names, because their schemas differ from those in responses. */
  readonly requests: View = {
    isOpen: false,
    saysNonEmpty: true,
    named: (title, schema) => this.add(/(Request|Input)$/.test(title) ? title : `${title}Input`, schema),
  };

  add(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name);
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas have the name ${name}`);
    this.#schemas.set(name, schema);
    this.#names.set(JSON.stringify(schema), this.#names.get(JSON.stringify(schema)) ?? name);
    return refTo('schemas', name);
  }

  body(name: string, schema: JsonSchema): JsonSchema {
    if (schema['$ref'] !== undefined || schema['type'] !== 'object') return schema;
    return this.add(this.#names.get(JSON.stringify(schema)) ?? name, schema);
  }

  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

export const refTo = (kind: 'schemas' | 'headers' | 'parameters' | 'responses', name: string): JsonSchema => ({
  $ref: `#/components/${kind}/${name}`,
});

export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
