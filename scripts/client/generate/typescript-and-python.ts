import { isRecord } from '../../../runtime/shapes.ts';

type Schema = Readonly<Record<string, unknown>>;

const recordOf = (value: unknown): Schema => (isRecord(value) ? value : {});
const FILE = 'Blob';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The result depends only on the OpenAPI document, so that a test can detect a stale checked-in copy. */
export function clientOf(document: unknown): string {
  const { paths, components } = recordOf(document);
  const { schemas } = recordOf(components);
  const served = Object.entries(recordOf(paths)).filter(([path]) => !path.startsWith('/sandbox/'));
  const operations = served.flatMap(([path, methods]) =>
    Object.entries(recordOf(methods)).map(([method, operation]) => ({ path, method: method.toUpperCase(), facts: recordOf(operation) })),
  );
  const kept = reachable(served, recordOf(schemas));
  const named = [...kept].sort().map((name) => `  ${name}: ${typeOf(recordOf(recordOf(schemas)[name]))};`);
  return [
    '// Generated from the rows by `npm run client`. A test says when it is stale.',
    '',
    '/** Every record, request and answer by its name. */',
    'export interface Schemas {',
    ...named,
    '}',
    '',
    '/** Parameters, body and answer of each operation. */',
    'export interface Operations {',
    ...operations.map(({ facts }) => `  ${facts['operationId']}: { ${takenBy(facts)}; answer: ${answerOf(facts)} };`),
    '}',
    '',
    '/** Method and path of each operation. */',
    'export const PLACES: Readonly<Record<keyof Operations, readonly [method: string, path: string]>> = {',
    ...operations.map(({ path, method, facts }) => `  ${facts['operationId']}: ['${method}', '${path}'],`),
    '};',
    '',
    '/** Operations that take an `Idempotency-Key`. */',
    'export const KEYED: ReadonlySet<keyof Operations> = new Set([',
    ...operations.filter(({ facts }) => takesKey(facts)).map(({ facts }) => `  '${facts['operationId']}',`),
    ']);',
    '',
    '/** Operations that answer with the bytes of a file. */',
    'export const FILES: ReadonlySet<keyof Operations> = new Set([',
    ...operations.filter(({ facts }) => answerOf(facts) === FILE).map(({ facts }) => `  '${facts['operationId']}',`),
    ']);',
    '',
  ].join('\n');
}

export function pythonOf(document: unknown): string {
  const served = Object.entries(recordOf(recordOf(document)['paths'])).filter(([path]) => !path.startsWith('/sandbox/'));
  const lines = served.flatMap(([path, methods]) =>
    Object.entries(recordOf(methods)).map(([method, operation]) => {
      const facts = recordOf(operation);
      return `    "${facts['operationId']}": ("${method.toUpperCase()}", "${path}", ${takesKey(facts) ? 'True' : 'False'}),`;
    }),
  );
  return ['# Generated from the rows by `npm run client`. A test says when it is stale.', 'OPERATIONS = {', ...lines, '}', ''].join('\n');
}

const takesKey = (operation: Schema): boolean =>
  listOf(operation['parameters']).some((one) => {
    const { in: where, name } = recordOf(one);
    return where === 'header' && String(name).toLowerCase() === 'idempotency-key';
  });

function reachable(value: unknown, schemas: Schema, known = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    if (known.has(name)) continue;
    known.add(name);
    reachable(schemas[name], schemas, known);
  }
  return known;
}

function takenBy(operation: Schema): string {
  const parameters = listOf(operation['parameters']).map(recordOf);
  const fields = (where: string): string =>
    parameters
      .filter((one) => one['in'] === where)
      .map((one) => `${JSON.stringify(one['name'])}${one['required'] ? '' : '?'}: ${typeOf(recordOf(one['schema']))}`)
      .join('; ');
  const body = bodyOf(recordOf(operation['requestBody']));
  return `params: { ${fields('path')} }; query: { ${fields('query')} }; body: ${body}`;
}

function bodyOf(requestBody: Schema): string {
  const content = recordOf(requestBody['content']);
  const json = content['application/json'];
  if (json) return `${typeOf(recordOf(recordOf(json)['schema']))}${content['multipart/form-data'] ? ' | FormData' : ''}`;
  return Object.keys(content).length > 0 ? 'FormData | Blob | string' : 'undefined';
}

function answerOf(operation: Schema): string {
  const [, done] = Object.entries(recordOf(operation['responses'])).find(([status]) => status.startsWith('2')) ?? [];
  const content = recordOf(recordOf(done)['content']);
  const json = content['application/json'];
  if (json) return typeOf(recordOf(recordOf(json)['schema']));
  const isBinary = Object.values(content).some((one) => recordOf(recordOf(one)['schema'])['format'] === 'binary');
  return isBinary ? FILE : 'string';
}

function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf, type } = schema;
  if (typeof $ref === 'string') return `Schemas['${$ref.split('/').at(-1)}']`;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf) && type === undefined) return anyOf.map((one) => typeOf(recordOf(one))).join(' | ');
  const types = [type].flat().map((one) => named(one, schema));
  return types.join(' | ');
}

function named(type: unknown, schema: Schema): string {
  switch (type) {
    case 'object':
      return objectType(schema);
    case 'array':
      return `(${typeOf(recordOf(schema['items']))})[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    default:
      return 'unknown';
  }
}

function objectType(schema: Schema): string {
  const required = listOf(schema['required']);
  const fields = Object.entries(recordOf(schema['properties'])).map(
    ([name, child]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(recordOf(child))}`,
  );
  const extra = schema['additionalProperties'];
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  return `Record<string, ${isRecord(extra) ? typeOf(extra) : 'unknown'}>`;
}
