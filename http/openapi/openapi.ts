import { MAX_FAULTS, REFUSALS, type RefusalCode } from '../../actors/domain/refusals.ts';
import type { BoundArea } from '../core/bind.ts';
import type { RowFacts } from '../core/engine.ts';
import type { EventFacts } from '../core/row.ts';
import { FUTURE_EXAMPLE } from '../core/schemas.ts';
import { Components, pascal, refTo } from './components.ts';
import { exampleOf } from './example.ts';
import { inTurns } from './in-turns.ts';
import { fieldsOf, type JsonSchema, jsonSchemaOf, PARAMETERS, requiredOf } from './json-schema.ts';
import { mediaExample } from './media-examples.ts';
import { accessText, codesOf } from './row-facts.ts';

const ABOUT =
  'A multi-tenant business messaging gateway. Timestamps are Unix epoch milliseconds; ids are ULIDs; unknown fields and query ' +
  'parameters are refused. Error texts are English or Indonesian (`?lang=`, then `X-Lang`, then `Accept-Language`); `code` never changes.';

export async function openApi(areas: readonly BoundArea[], address: string, now: number): Promise<object> {
  const parts: Parts = { now, components: new Components(), refusals: new Map() };
  parts.components.add('Error', ERROR);
  const paths: Record<string, Record<string, object>> = {};
  const rows = areas.flatMap(({ name, rows }) => rows.map(({ facts }) => ({ name, facts })));
  await inTurns(rows, ({ name, facts }) => {
    const path = facts.path.replace('*}', '}');
    const operations = paths[path] ?? {};
    operations[facts.method.toLowerCase()] = operation(parts, name, facts);
    paths[path] = operations;
  });
  const events = areas.flatMap(({ name, events }) => events.map((event) => ({ name, event })));
  const webhooks = await inTurns(events, ({ name, event }) => [event.type, webhook(parts, name, event)] as const);
  return {
    openapi: '3.1.0',
    info: { title: 'Business Messaging Gateway', version: '1', description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: address }],
    tags: tagsOf(areas),
    paths,
    webhooks: Object.fromEntries(webhooks),
    components: {
      schemas: parts.components.schemas,
      responses: Object.fromEntries(parts.refusals),
      securitySchemes: SECURITY,
      headers: HEADERS,
      parameters: LANGUAGE,
    },
  };
}

function tagsOf(areas: readonly BoundArea[]): readonly object[] {
  const byName = Map.groupBy(areas, ({ name }) => name);
  return [...byName].map(([name, those]) => ({ name, description: those.map(({ about }) => about).join('. ') }));
}

interface Parts {
  readonly now: number;
  readonly components: Components;
  readonly refusals: Map<string, object>;
}

const ERROR: JsonSchema = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'A human-readable message in the requested language. Do not parse it' },
    code: { type: 'string', enum: Object.keys(REFUSALS), description: 'A stable code, never translated' },
    details: {
      type: 'array',
      maxItems: MAX_FAULTS,
      description: `For \`VALIDATION_FAILED\`: every fault of the request, at most ${MAX_FAULTS}`,
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Dotted, such as `rules.all.1.op`; a query parameter is its name' },
          message: { type: 'string', description: 'A human-readable message' },
        },
        required: ['path', 'message'],
      },
    },
    more: { type: 'boolean', enum: [true], description: 'For `VALIDATION_FAILED`: the request has more faults than those in `details`' },
    readings: {
      type: 'array',
      items: { type: 'string' },
      description:
        'For INVALID_NUMBER and INVALID_TARGETS: both possible numbers, if the input can mean two people. Send the one that you mean',
    },
    closed_at: {
      type: ['integer', 'null'],
      description: 'For WINDOW_CLOSED: when the window closed, epoch ms; null if this person never wrote to the number',
    },
    templates: {
      type: 'array',
      maxItems: 10,
      description: 'For WINDOW_CLOSED: approved templates that can be sent',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          language: { type: 'string' },
          category: { type: 'string' },
          variables: { type: 'array', items: { type: 'string' } },
        },
        required: ['id', 'name', 'language', 'category', 'variables'],
      },
    },
    scope: { type: 'string', description: 'The limit that refused: `api_key` for the limit of the key' },
  },
  required: ['error', 'code'],
};

const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A login (JWT) or an API key' },
  adminSecret: { type: 'apiKey', in: 'header', name: 'X-Admin-Secret' },
};

const language = (where: 'query' | 'header', name: string, description: string): object => ({
  name,
  in: where,
  description,
  schema: { type: 'string', ...(name === 'Accept-Language' ? {} : { enum: ['en', 'id'] }) },
});

const LANGUAGE = {
  Lang: language('query', 'lang', 'Language of error texts'),
  XLang: language('header', 'X-Lang', 'Language of error texts, if `lang` is not given'),
  AcceptLanguage: language('header', 'Accept-Language', 'Language of error texts, if neither `lang` nor `X-Lang` is given'),
};

const header = (description: string, type = 'integer'): object => ({ description, schema: { type } });

const HEADERS = {
  RequestId: header('`X-Request-Id` of the request if it had a valid one, otherwise a new one', 'string'),
  Limit: header('Requests per minute'),
  Remaining: header('Requests left in the window'),
  Reset: header('Seconds until the window resets'),
  RetryAfter: header('Seconds to wait before the next attempt'),
};

const headerRef = (name: keyof typeof HEADERS): object => refTo('headers', name);

const ALWAYS = {
  'X-Request-Id': headerRef('RequestId'),
  'RateLimit-Limit': headerRef('Limit'),
  'RateLimit-Remaining': headerRef('Remaining'),
  'RateLimit-Reset': headerRef('Reset'),
};

function operation(parts: Parts, area: string, row: RowFacts): object {
  return {
    operationId: row.id,
    tags: [area],
    summary: row.summary,
    description: [row.about && `${row.about}.`, accessText(row)].filter(Boolean).join(' '),
    security: security(row),
    ...(row.audit && { 'x-audit': 'action' in row.audit ? row.audit.action : row.audit }),
    parameters: parameters(row),
    ...requestBody(parts, row),
    responses: responses(parts, row),
  };
}

function webhook({ components }: Parts, area: string, { type, about, data }: EventFacts): object {
  const name = pascal(type);
  const body: JsonSchema = {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The event id; the same in webhooks, streams and pulls' },
      type: { type: 'string', enum: [type] },
      session_id: { type: ['string', 'null'], description: 'The device; null if the event is not about a device' },
      occurred_at: { type: 'integer', description: 'Epoch milliseconds' },
      data: components.body(`${name}Data`, jsonSchemaOf(data, components.answers)),
    },
    required: ['id', 'type', 'session_id', 'occurred_at', 'data'],
  };
  const content = { 'application/json': { schema: components.add(`${name}Event`, body), example: eventExample({ type, about, data }) } };
  const operation = { operationId: `on${name}`, tags: [area], summary: type, description: `${about}.`, security: [] };
  const received = { description: 'Accepted. Any other status is retried' };
  return { post: { ...operation, requestBody: { required: true, content }, responses: { '2XX': received } } };
}

export const eventExample = ({ type, data }: EventFacts): Readonly<Record<string, unknown>> => ({
  id: 'evt_01JZX5ZB4T8QKX3N9V7C2M6D1E',
  type,
  session_id: '01JZX5ZB4T8QKX3N9V7C2M6D1E',
  occurred_at: 1_767_225_600_000,
  data: exampleOf(jsonSchemaOf(data)),
});

function security({ access, tickets }: RowFacts): object[] {
  if (access === 'none') return [];
  return [access === 'operator' ? { adminSecret: [] } : { bearer: [] }, ...(tickets ? [{}] : [])];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly description?: unknown;
  readonly schema: JsonSchema;
}

export function parametersOf({ path, params, query, headers = [], cookie }: RowFacts): Parameter[] {
  const described = fieldsOf(params && jsonSchemaOf(params, PARAMETERS));
  const inPath = [...path.matchAll(/\{(\w+)[^}]*\}/g)].map(([, name = '']): Parameter => {
    return parameter('path', name, described[name] ?? { type: 'string' }, true);
  });
  const schema = query && jsonSchemaOf(query, PARAMETERS);
  const required = requiredOf(schema);
  const inQuery = Object.entries(fieldsOf(schema)).map(([name, child]) => parameter('query', name, child, required.includes(name)));
  const inHeaders = headers.map((name) => parameter('header', name, { type: 'string' }, false));
  return [...inPath, ...inQuery, ...inHeaders, ...(cookie ? [parameter('cookie', cookie, { type: 'string' }, false)] : [])];
}

function parameter(where: Parameter['in'], name: string, schema: JsonSchema, required: boolean): Parameter {
  const { description, ...rest } = schema;
  return { name, in: where, required, ...(description !== undefined && { description }), schema: rest };
}

function parameters(row: RowFacts): object[] {
  const own = parametersOf(row);
  const isNamed = own.some(({ in: where, name }) => where === 'query' && name === 'lang');
  const languages = Object.keys(LANGUAGE).filter((name) => !(isNamed && name === 'Lang'));
  return [...own, ...languages.map((name) => refTo('parameters', name))];
}

function requestBody(parts: Parts, row: RowFacts): object {
  const { components, now } = parts;
  const { body, bytes, id } = row;
  const described = body ?? bytes?.describedBy;
  const json = (): object => {
    if (!described) return {};
    return {
      schema: components.body(`${pascal(id)}Request`, jsonSchemaOf(described, components.requests)),
      example: requestExample(row, now),
    };
  };
  if (!bytes) return body ? { requestBody: { required: requiredOf(jsonSchemaOf(body)).length > 0, content: { [JSON_TYPE]: json() } } } : {};
  const types = bytes.types.includes(JSON_TYPE) || !described ? bytes.types.map(anyOf) : [JSON_TYPE];
  const content = types.map((type) => [type, type === JSON_TYPE ? json() : file(parts, row, type)]);
  return { requestBody: { required: true, content: Object.fromEntries(content) } };
}

/** Times in the example are a year after `now`, so that the example remains valid for a while. */
export function requestExample({ body, bytes, example }: RowFacts, now: number): unknown {
  const schema = body ?? bytes?.describedBy;
  return withTimesAhead(example ?? (schema && exampleOf(jsonSchemaOf(schema))), now + YEAR_MS);
}

const YEAR_MS = 365 * 86_400_000;

function withTimesAhead(value: unknown, at: number): unknown {
  if (value === FUTURE_EXAMPLE) return at;
  if (Array.isArray(value)) return value.map((one) => withTimesAhead(one, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withTimesAhead(one, at)]));
}

const JSON_TYPE = 'application/json';

const anyOf = (type: string): string => (type === '*' ? '*/*' : type);

const BINARY: JsonSchema = { type: 'string', format: 'binary' };

function file({ components }: Parts, row: RowFacts, type: string): object {
  const example = mediaExample(row, type);
  if (type !== 'multipart/form-data') return { schema: BINARY, example };
  const { form } = row.bytes ?? {};
  const part = { file: { ...BINARY, description: 'The file, with its name' } };
  const bare = { type: 'object', properties: part, required: ['file'] };
  if (!form) return { schema: bare, example };
  const properties = { ...part, ...fieldsOf(jsonSchemaOf(form, components.requests)) };
  return { schema: components.body(`${pascal(row.id)}Form`, { ...bare, properties }), example };
}

function produced({ components }: Parts, row: RowFacts): object {
  const { returns, produces = [JSON_TYPE], id } = row;
  const contentOf = (type: string): object => {
    if (type !== JSON_TYPE)
      return { schema: /^text\/|^image\/svg|ndjson/.test(type) ? { type: 'string' } : BINARY, example: mediaExample(row, type) };
    const schema = components.body(`${pascal(id)}Response`, jsonSchemaOf(returns, components.answers));
    return { schema, example: exampleOf(jsonSchemaOf(returns)) };
  };
  return { content: Object.fromEntries(produces.map((type) => [type, contentOf(type)])) };
}

function responses(parts: Parts, row: RowFacts): Record<string, object> {
  const done = (description: string): object => ({ description, headers: ALWAYS, ...produced(parts, row) });
  const bare = (description: string): object => ({ description, headers: ALWAYS });
  const also = Object.entries(row.also ?? {}).map(([status, text]) => [status, status === '204' ? bare(text) : done(text)]);
  return { ...refusals(parts, row), [row.status]: done('Done'), ...Object.fromEntries(also) };
}

function refusals(parts: Parts, row: RowFacts): Record<string, object> {
  const byStatus = Map.groupBy(codesOf(row), (code) => REFUSALS[code].status);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, refusal(parts, status, codes)]));
}

function refusal({ refusals }: Parts, status: number, codes: readonly RefusalCode[]): object {
  const name = `Refused${status}${codes.map((code) => pascal(code.toLowerCase())).join('')}`;
  const schema = { allOf: [refTo('schemas', 'Error'), { type: 'object', properties: { code: { type: 'string', enum: codes } } }] };
  const headers = status === 429 || status === 503 ? { ...ALWAYS, 'Retry-After': headerRef('RetryAfter') } : ALWAYS;
  const [code = 'INTERNAL'] = codes;
  const content = { 'application/json': { schema, example: { error: REFUSALS[code].en, code } } };
  refusals.set(name, { description: codes.map((one) => `\`${one}\`: ${REFUSALS[one].en}`).join('; '), headers, content });
  return refTo('responses', name);
}
