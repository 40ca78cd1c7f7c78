import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema, View } from './json-schema.ts';

/** The schemas that have a name: each stands once in the document, and everything else refers to it. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #names = new Map<string, string>();

  /** What is answered and told: open to fields that come later. */
  readonly answers: View = { isOpen: true, saysNonEmpty: false, named: (title, schema) => this.add(title, schema) };

  /** What is taken: closed. A record that is also answered has another name here, because it is another schema. */
  readonly requests: View = {
    isOpen: false,
    saysNonEmpty: true,
    named: (title, schema) => this.add(/(Request|Input)$/.test(title) ? title : `${title}Input`, schema),
  };

  /** A reference to `schema`. Throws where another schema has this name. */
  add(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name);
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas have the name ${name}`);
    this.#schemas.set(name, schema);
    this.#names.set(JSON.stringify(schema), this.#names.get(JSON.stringify(schema)) ?? name);
    return refTo('schemas', name);
  }

  /** The same for the body of an operation, which has a name of its own only where no schema has its content yet. */
  body(name: string, schema: JsonSchema): JsonSchema {
    if (schema['$ref'] !== undefined || schema['type'] !== 'object') return schema;
    return this.add(this.#names.get(JSON.stringify(schema)) ?? name, schema);
  }

  /** By name, in the order of the alphabet. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** A reference to a part of the document. */
export const refTo = (kind: 'schemas' | 'headers' | 'parameters' | 'responses', name: string): JsonSchema => ({
  $ref: `#/components/${kind}/${name}`,
});

/** `list_api-keys`, `listApiKeys` → `ListApiKeys`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
