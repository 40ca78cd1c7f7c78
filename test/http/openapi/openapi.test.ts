import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import Joi from 'joi';
import { REFUSALS } from '../../../actors/domain/refusals.ts';
import { messageWork } from '../../../http/areas/messages/bulk-rows.ts';
import { recurring } from '../../../http/areas/scheduling/recurring-rows.ts';
import { rotators } from '../../../http/areas/scheduling/rotator-rows.ts';
import { scheduled } from '../../../http/areas/scheduling/scheduled-rows.ts';
import { metricsArea, service } from '../../../http/areas/service/rows.ts';
import { requiredWhen } from '../../../http/core/schemas.ts';
import { exampleOf } from '../../../http/openapi/example.ts';
import { jsonSchemaOf } from '../../../http/openapi/json-schema.ts';
import { codesOf } from '../../../http/openapi/row-facts.ts';
import { type Answer, aServer, type Sample, sample } from '../../support/http-sample.ts';

let web: Sample;
let document: Answer['body'];

before(async () => {
  web = await aServer();
  ({ body: document } = await web.get('/openapi.json'));
});
after(() => web[Symbol.asyncDispose]());

const rows = [...sample.rows, ...service.rows, ...metricsArea.rows];

it('OpenAPI documents every operation with its parameters, response and errors', () => {
  assert.equal(document.openapi, '3.1.0');
  for (const { id, path, method, status } of rows) {
    const operation = document.paths[path.replace('*}', '}')]?.[method.toLowerCase()];
    assert.equal(operation?.operationId, id);
    assert.ok(operation.responses[status], id);
    const named = operation.parameters
      .filter((parameter: { in: string }) => parameter.in === 'path')
      .map(({ name }: { name: string }) => name);
    assert.deepEqual(
      named,
      [...path.matchAll(/\{(\w+)\*?\}/g)].map(([, name]) => name),
      id,
    );
  }
  assert.equal(Object.values<object>(document.paths).flatMap(Object.keys).length, rows.length);
});

it('every operation id in OpenAPI is unique, and every reference can be resolved', () => {
  const ids = rows.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    assert.ok(
      path!.split('/').reduce((at, name) => at?.[name], document),
      path,
    );
  }
});

it("OpenAPI groups an operation's errors by status, and lists their codes", () => {
  const { responses: byStatus } = document.paths['/v1/sessions/{sessionId}/messages'].post;
  const responses = Object.fromEntries(
    Object.entries<{ $ref?: string }>(byStatus).map(([status, one]) => [
      status,
      one.$ref ? document.components.responses[one.$ref.split('/').at(-1) ?? ''] : one,
    ]),
  );
  assert.deepEqual(Object.keys(responses), ['202', '400', '401', '403', '404', '408', '413', '415', '429', '500', '503']);
  const codes = responses['400'].content['application/json'].schema.allOf[1].properties.code.enum;
  assert.deepEqual(codes, ['VALIDATION_FAILED', 'INVALID_JSON']);
  assert.ok(responses['429'].headers['Retry-After']);
  assert.deepEqual(Object.keys(document.paths['/csv'].get.responses['200'].content), ['text/csv']);
  assert.deepEqual(document.components.schemas.Error.properties.code.enum, Object.keys(REFUSALS));
});

it('OpenAPI documents the idempotency errors of every operation with an idempotency key', () => {
  const keyed = [scheduled, recurring, rotators, messageWork].flatMap(({ rows }) =>
    rows.filter(({ headers }) => headers?.includes('idempotency-key')),
  );
  for (const row of keyed) {
    const codes = codesOf(row);
    assert.ok(codes.includes('IDEMPOTENCY_IN_PROGRESS') && codes.includes('IDEMPOTENCY_KEY_REUSED'), row.id);
  }
  assert.deepEqual(
    keyed
      .map(({ id }) => id)
      .toSorted()
      .slice(0, 3),
    ['createRecurring', 'createRotator', 'forwardMessage'],
  );
});

it('OpenAPI states who may call an operation, both in the description and as security schemes', () => {
  const { get } = document.paths['/v1/undeclared'];
  assert.deepEqual(get.security, [{ bearer: [] }]);
  assert.match(get.description, /an API key with the scope `read`\. Not available to agents/);
  assert.deepEqual(document.paths['/open'].get.security, []);
  assert.deepEqual(document.paths['/v1/admin/operator'].get.security, [{ adminSecret: [] }]);
});

it('OpenAPI schemas include the validation rules from Joi', () => {
  const schema = Joi.object({
    kind: Joi.string().valid('a', 'b').required().description('Which'),
    size: Joi.number().integer().min(1).max(9).allow(null).default(2),
    name: Joi.string().min(1).max(5).pattern(/^\d+$/).example('12'),
    list: Joi.array().items(Joi.string().uri()).max(3).unique(),
    either: Joi.alternatives(Joi.string(), Joi.number()),
    extra: Joi.object().pattern(Joi.string(), Joi.number()),
    only: requiredWhen(Joi.string(), 'kind', 'a'),
    state: Joi.string().valid('x').allow(null),
  });
  assert.deepEqual(jsonSchemaOf(schema), {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['a', 'b'], description: 'Which' },
      size: { type: ['integer', 'null'], minimum: 1, maximum: 9, default: 2 },
      name: { type: 'string', minLength: 1, maxLength: 5, pattern: '^\\d+$', examples: ['12'] },
      list: { type: 'array', items: { type: 'string', format: 'uri' }, maxItems: 3, uniqueItems: true },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      extra: { type: 'object', additionalProperties: { type: 'number' } },
      only: { type: 'string' },
      state: { type: ['string', 'null'], enum: ['x', null] },
    },
    required: ['kind'],
    additionalProperties: false,
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word
    allOf: [{ if: { properties: { kind: { enum: ['a'] } }, required: ['kind'] }, then: { required: ['only'] } }],
  });
  assert.deepEqual(exampleOf(jsonSchemaOf(schema)), { kind: 'a', name: '12' });
});

it('the API reference lists every operation, loads no external resources, and escapes content', async () => {
  const { text, headers } = await web.get('/docs/api');
  for (const { id, summary } of rows) {
    assert.ok(text.includes(`id="${id}"`), id);
    assert.ok(text.includes(summary.replaceAll('`', '')) || text.includes(summary), summary);
  }
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-[^;]+'; script-src 'sha256-[^;]+';/);
  assert.doesNotMatch(text, /<script src|<link|<img|@import|url\(/);
  assert.match(text, /&lt;token&gt;/);
  assert.match(text, /curl -X POST/);
  for (const part of ['Quick start', 'id="webhooks"', 'id="limits"', 'file_get_contents', 'urllib.request'])
    assert.ok(text.includes(part), part);
});
