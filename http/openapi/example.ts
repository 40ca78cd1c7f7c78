import { fieldsOf, itemsOf, type JsonSchema, requiredOf } from './json-schema.ts';

/** A value to try, made from a schema: its own examples first, then what it requires or shows an example of (everything, if it requires nothing). */
export function exampleOf(schema: JsonSchema): unknown {
  const { examples, default: standard, enum: values, anyOf, type } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (standard !== undefined) return standard;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf) && type === undefined) return exampleOf(anyOf[0] ?? {});
  return byType(Array.isArray(type) ? type[0] : type, schema);
}

function byType(type: unknown, schema: JsonSchema): unknown {
  switch (type) {
    case 'object':
      return objectExample(schema);
    case 'array':
      return [exampleOf(itemsOf(schema))];
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 1);
    case 'boolean':
      return true;
    default:
      return textExample(schema);
  }
}

function objectExample(schema: JsonSchema): Record<string, unknown> {
  const fields = Object.entries(fieldsOf(schema));
  const required = requiredOf(schema);
  const shown = required.length > 0 ? fields.filter(([name, child]) => required.includes(name) || child['examples'] !== undefined) : fields;
  return Object.fromEntries(shown.map(([name, child]) => [name, exampleOf(child)]));
}

function textExample({ format, minLength }: JsonSchema): string {
  if (format === 'uri') return 'https://example.com';
  return typeof minLength === 'number' && minLength > 1 ? '…'.repeat(minLength) : '…';
}
