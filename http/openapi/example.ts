import { fieldsOf, itemsOf, type JsonSchema, requiredOf } from './json-schema.ts';
import { TYPICAL, TYPICAL_TIME } from './typical.ts';

export function exampleOf(schema: JsonSchema, name = ''): unknown {
  const { examples, default: standard, enum: values, anyOf, type } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (standard !== undefined) return standard;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf) && type === undefined) return exampleOf(anyOf[0] ?? {}, name);
  return byType(schema, name);
}

function byType(schema: JsonSchema, name: string): unknown {
  const [type, ...others] = [schema['type']].flat();
  switch (type) {
    case 'object':
      return objectExample(schema);
    case 'array':
      return Array.from({ length: Math.max(1, Number(schema['minItems'] ?? 1)) }, () => exampleOf(itemsOf(schema), name));
    case 'integer':
    case 'number':
      return /_at$|_ms$|^at$|^until$|^since$/.test(name) && isRoomy(schema) ? TYPICAL_TIME : Number(schema['minimum'] ?? 1);
    case 'boolean':
      return true;
    default:
      return TYPICAL[name] ?? (others.includes('null') ? null : textExample(schema));
  }
}

/** A number without a limit may be a time, because durations have a limit. */
const isRoomy = ({ maximum, minimum }: JsonSchema): boolean => minimum === undefined && maximum === undefined;

function objectExample(schema: JsonSchema): Record<string, unknown> {
  const fields = Object.entries(fieldsOf(schema));
  const required = requiredOf(schema);
  const shown = required.length > 0 ? fields.filter(([name, child]) => required.includes(name) || isTelling(child)) : fields;
  return Object.fromEntries(shown.map(([name, child]) => [name, exampleOf(child, name)]));
}

function textExample({ format, minLength }: JsonSchema): string {
  if (format === 'uri') return 'https://example.com';
  return typeof minLength === 'number' && minLength > 1 ? '…'.repeat(minLength) : '…';
}

/** Examples of ids are omitted, because they do not match any record. */
const isTelling = ({ examples, pattern }: JsonSchema): boolean => examples !== undefined && pattern !== ULID;

const ULID = '^[0-9A-HJKMNP-TV-Z]{26}$';
