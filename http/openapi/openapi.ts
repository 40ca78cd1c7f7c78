import { REFUSALS, type RefusalCode } from '../../actors/domain/refusals.ts';
import { limitsOf, scopesOf } from '../auth/admit.ts';
import type { BoundArea } from '../core/bind.ts';
import type { RowFacts } from '../core/engine.ts';
import type { Access, EventFacts } from '../core/row.ts';
import { fieldsOf, type JsonSchema, jsonSchemaOf, requiredOf } from './json-schema.ts';

const ABOUT =
  'A multi-tenant business messaging gateway. Timestamps are Unix epoch milliseconds; ids are ULIDs; unknown fields and query ' +
  'parameters are refused. Error texts are English or Indonesian (`?lang=`, then `X-Lang`, then `Accept-Language`); `code` never changes.';

/** The whole interface as an OpenAPI 3.1 document, read from the rows that serve it. `address` is the base address for clients. */
export function openApi(areas: readonly BoundArea[], address: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { name, rows } of areas) {
    for (const { facts } of rows) {
      const operations = paths[facts.path] ?? {};
      operations[facts.method.toLowerCase()] = operation(name, facts);
      paths[facts.path] = operations;
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Business Messaging Gateway', version: '1', description: ABOUT },
    servers: [{ url: address }],
    tags: areas.map(({ name, about }) => ({ name, description: about })),
    paths,
    webhooks: Object.fromEntries(areas.flatMap(({ name, events }) => events.map((event) => [event.type, told(name, event)]))),
    components: { schemas: { Error: ERROR }, securitySchemes: SECURITY, headers: HEADERS, parameters: { Lang: LANG } },
  };
}

const ERROR: JsonSchema = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'Text for people, in the requested language; do not parse it' },
    code: { type: 'string', enum: Object.keys(REFUSALS), description: 'Stable and never translated' },
    details: {
      type: 'array',
      description: 'For `VALIDATION_FAILED`: every fault of the request',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Dotted, such as `rules.all.1.op`; a query parameter is its name' },
          message: { type: 'string', description: 'Text for people' },
        },
        required: ['path', 'message'],
      },
    },
    scope: { type: 'string', description: 'Which limit refused: `api_key` for the limit of the key' },
  },
  required: ['error', 'code'],
};

const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A login (JWT) or an API key' },
  adminSecret: { type: 'apiKey', in: 'header', name: 'X-Admin-Secret' },
};

const LANG = { name: 'lang', in: 'query', description: 'Language of error texts', schema: { type: 'string', enum: ['en', 'id'] } };

const header = (description: string, type = 'integer'): object => ({ description, schema: { type } });

const HEADERS = {
  RequestId: header('`X-Request-Id` of the request where it had a sane one, otherwise a fresh one', 'string'),
  Limit: header('Requests a minute'),
  Remaining: header('Requests left in the window'),
  Reset: header('Seconds until the window rolls over'),
  RetryAfter: header('Seconds; waiting this long suffices'),
};

const headerRef = (name: keyof typeof HEADERS): object => ({ $ref: `#/components/headers/${name}` });

const ALWAYS = {
  'X-Request-Id': headerRef('RequestId'),
  'RateLimit-Limit': headerRef('Limit'),
  'RateLimit-Remaining': headerRef('Remaining'),
  'RateLimit-Reset': headerRef('Reset'),
};

function operation(area: string, row: RowFacts): object {
  return {
    operationId: row.id,
    tags: [area],
    summary: row.summary,
    description: accessText(row),
    security: security(row),
    ...(row.audit && { 'x-audit': 'action' in row.audit ? row.audit.action : row.audit }),
    parameters: parameters(row),
    ...requestBody(row),
    responses: { [row.status]: { description: 'Done', headers: ALWAYS, ...produced(row) }, ...refusals(row) },
  };
}

/** A delivery to a webhook; a stream and `pull` carry the same body. */
function told(area: string, { type, about, data }: EventFacts): object {
  const body = {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The same wherever the event appears' },
      type: { type: 'string', enum: [type] },
      session_id: { type: ['string', 'null'] },
      occurred_at: { type: 'integer', description: 'Epoch milliseconds' },
      data: jsonSchemaOf(data),
    },
    required: ['id', 'type', 'session_id', 'occurred_at', 'data'],
  };
  const operation = { operationId: `on.${type}`, tags: [area], summary: about, requestBody: { required: true, ...content(body) } };
  return { post: { ...operation, responses: { '2XX': { description: 'Heard. Any other status is retried' } } } };
}

const WHO: Readonly<Record<Access, string>> = {
  none: 'Open to anyone.',
  bearer: 'A login or an API key.',
  login: 'A dashboard login, not an API key.',
  owner: "The account owner's login.",
  keys: "The account owner's login; others are refused with `KEY_MANAGEMENT_REQUIRES_LOGIN`.",
  operator: 'The platform operator.',
};

/** Who may call a row, and under which limit, in words. */
export function accessText(row: RowFacts): string {
  const scope = row.access === 'bearer' ? ` An API key needs the ${scopeText(row)}.` : '';
  const agents = row.agents || row.access !== 'bearer' ? '' : ' Not for agent logins.';
  const deviceKeys = row.deviceKeys || row.access !== 'bearer' ? '' : ' Not for keys that are restricted to devices.';
  const limit = limitsOf(row)
    .map((name) => ` Counts under the \`${name}\` limit.`)
    .join('');
  const place = row.loopback ? ' From this machine only.' : '';
  const tickets = row.tickets ? ' Or with a ticket.' : '';
  return WHO[row.access] + scope + agents + deviceKeys + limit + place + tickets;
}

function scopeText(row: RowFacts): string {
  const [first, ...more] = scopesOf(row).map((scope) => `\`${scope}\``);
  return more.length === 0 ? `scope ${first}` : `scopes ${[first, ...more].join(' and ')}`;
}

function security({ access, tickets }: RowFacts): object[] {
  if (access === 'none') return [];
  return [access === 'operator' ? { adminSecret: [] } : { bearer: [] }, ...(tickets ? [{}] : [])];
}

/** A parameter of a row's path, query or headers, as OpenAPI has it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: unknown;
  readonly schema: JsonSchema;
}

/** The parameters that a row takes, besides `lang`. */
export function parametersOf({ path, params, query, headers = [] }: RowFacts): Parameter[] {
  const described = fieldsOf(params && jsonSchemaOf(params));
  const inPath = [...path.matchAll(/\{(\w+)[^}]*\}/g)].map(([, name = '']): Parameter => {
    return parameter('path', name, described[name] ?? { type: 'string' }, true);
  });
  const schema = query && jsonSchemaOf(query);
  const required = requiredOf(schema);
  const inQuery = Object.entries(fieldsOf(schema)).map(([name, child]) => parameter('query', name, child, required.includes(name)));
  return [...inPath, ...inQuery, ...headers.map((name) => parameter('header', name, { type: 'string' }, false))];
}

function parameter(where: Parameter['in'], name: string, schema: JsonSchema, required: boolean): Parameter {
  const { description, ...rest } = schema;
  return { name, in: where, required, ...(description !== undefined && { description }), schema: rest };
}

function parameters(row: RowFacts): object[] {
  const own = parametersOf(row);
  const chosen = own.some(({ in: where, name }) => where === 'query' && name === 'lang');
  return chosen ? own : [...own, { $ref: '#/components/parameters/Lang' }];
}

function requestBody({ body, bytes }: RowFacts): object {
  if (bytes?.describedBy) return { requestBody: { required: true, ...content(jsonSchemaOf(bytes.describedBy)) } };
  if (bytes) return { requestBody: { required: true, content: Object.fromEntries(bytes.types.map((type) => [anyOf(type), {}])) } };
  if (!body) return {};
  const schema = jsonSchemaOf(body);
  return { requestBody: { required: schema['required'] !== undefined, ...content(schema) } };
}

/** `*` alone at the end of a prefix is `/*` to OpenAPI. */
const anyOf = (type: string): string => (type === '*' ? '*/*' : type);

const content = (schema: JsonSchema): object => ({ content: { 'application/json': { schema } } });

function produced({ returns, produces = ['application/json'] }: RowFacts): object {
  const schemaFor = (type: string): JsonSchema => (type === 'application/json' ? jsonSchemaOf(returns) : { type: 'string' });
  return { content: Object.fromEntries(produces.map((type) => [type, { schema: schemaFor(type) }])) };
}

/** Every code that a row can answer, by what it is and does, then what it says itself. */
export function codesOf(row: RowFacts): readonly RefusalCode[] {
  const codes = new Set<RefusalCode>(['VALIDATION_FAILED']);
  const add = (condition: boolean, ...more: RefusalCode[]): void => {
    if (condition) for (const code of more) codes.add(code);
  };
  add(row.method !== 'GET', 'REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  add(row.method !== 'GET' && !row.bytes, 'INVALID_JSON');
  add(row.access !== 'none', 'UNAUTHORIZED', 'FORBIDDEN');
  add(row.access === 'keys', 'KEY_MANAGEMENT_REQUIRES_LOGIN');
  add(row.stepUp !== undefined, 'STEP_UP_REQUIRED');
  add(row.access !== 'none' && row.access !== 'operator', 'RATE_LIMITED');
  add(row.path.includes('{'), 'NOT_FOUND');
  add(true, ...(row.refuses ?? []), 'INTERNAL', 'OVERLOADED', 'UNAVAILABLE');
  return [...codes].sort((a, b) => REFUSALS[a].status - REFUSALS[b].status);
}

function refusals(row: RowFacts): Record<string, object> {
  const byStatus = Map.groupBy(codesOf(row), (code) => REFUSALS[code].status);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, refusal(status, codes)]));
}

function refusal(status: number, codes: readonly RefusalCode[]): object {
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] };
  const headers = status === 429 || status === 503 ? { ...ALWAYS, 'Retry-After': headerRef('RetryAfter') } : ALWAYS;
  return { description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].en}`).join('; '), headers, ...content(schema) };
}
