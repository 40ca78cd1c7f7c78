import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { STREAMABLE } from '../../../actors/services/events/types.ts';
import { EVENT_FACTS } from '../../../http/areas/events/catalogue.ts';
import type { RowFacts } from '../../../http/core/engine.ts';
import { exampleOf } from '../../../http/openapi/example.ts';
import { type JsonSchema, jsonSchemaOf, PARAMETERS } from '../../../http/openapi/json-schema.ts';
import { eventExample, requestExample } from '../../../http/openapi/openapi.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

/** Records of the contract by their names. */
const RECORDS = [
  ...['Session', 'Message', 'SendMessageRequest', 'SendMessageResponse', 'BlastCampaign', 'AutoReplyRule', 'Webhook', 'InboxChat'],
  ...['BusinessProfile', 'ConsentConfig', 'ConsentRecord', 'Contact', 'KnowledgeDocument', 'SavedAnswer', 'StoreIntegration', 'StoreEvent'],
  ...['SessionScheduledMessage', 'RecurringMessage', 'AdminTenantHealth', 'PaymentWebhookAck', 'AuthSuccess', 'Error', 'WebhookDelivery'],
];

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly [keyword: string]: unknown;
}

/** Every object schema of the document, with its place. */
function* objectsIn(value: unknown, place = ''): Generator<readonly [place: string, schema: Schema]> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value) yield* objectsIn(one, place);
    return;
  }
  if ('properties' in value && 'type' in value && value.type === 'object') yield [place, value as Schema];
  for (const [name, child] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') yield* objectsIn(child, `${place}/${name}`);
}

eachStore('the OpenAPI document', (kind) => {
  it('names its records, has no duplicate schemas, and includes all documented events', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { body: document } = await gateway.api('GET', '/openapi.json');
    const { schemas } = document.components;
    for (const name of RECORDS) assert.ok(schemas[name], name);
    assert.deepEqual(Object.keys(schemas.PreviewContactImportForm.properties), ['file', 'opt_in', 'bare_numbers', 'columns']);

    const places = new Map<string, string[]>();
    for (const [place, schema] of objectsIn(document)) {
      if (Object.keys(schema.properties ?? {}).length < 3) continue;
      const text = JSON.stringify([schema.properties, schema['required'], schema.additionalProperties]);
      places.set(text, [...(places.get(text) ?? []), place]);
    }
    const copies = [...places.values()].filter((all) => all.length > 1);
    assert.deepEqual(copies, []);

    const requests = new Set<string>(
      Object.values<Record<string, { requestBody?: object }>>(document.paths).flatMap((methods) =>
        Object.values(methods).flatMap(({ requestBody }) =>
          [...JSON.stringify(requestBody ?? {}).matchAll(/schemas\/(\w+)/g)].map(([, name]) => name!),
        ),
      ),
    );
    const isTaken = (name: string): boolean => requests.has(name) || /(Request|Input)$/.test(name);
    for (const [name, schema] of Object.entries<Schema>(schemas))
      if (!isTaken(name))
        for (const [place, one] of objectsIn(schema)) assert.notEqual(one.additionalProperties, false, `${name}${place} is closed`);

    assert.deepEqual(Object.keys(document.webhooks).sort(), [...STREAMABLE].sort());
    const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((methods) => Object.values(methods));
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    for (const operation of operations) assertOperation(operation);
  });

  it('has a valid example for every response, request and event', async (t) => {
    const gateway = await aGateway(t, { kind });
    for (const row of gateway.node.http.rows) {
      assertFits(row, 'answer', exampleOf(jsonSchemaOf(row.returns)), row.returns);
      if (row.body) assertFits(row, 'request', requestExample(row, gateway.clock.now()), row.body);
    }
    const inLists = gateway.node.http.rows.reduce((count, row) => count + assertMinimaAreSaid(row), 0);
    assert.ok(inLists > 10, `${inLists} texts in lists`);
    for (const event of EVENT_FACTS) {
      const { error } = event.data.validate(eventExample(event)['data'], { convert: false });
      assert.equal(error?.message, undefined, event.type);
    }
  });
});

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }>>;
}

function assertOperation({ operationId, summary, parameters, requestBody, responses }: Operation): void {
  const words = summary.split(' ').length;
  assert.ok(words >= 2 && words <= 5, `${operationId}: ${summary}`);
  for (const name of ['XLang', 'AcceptLanguage'])
    assert.ok(
      parameters.some(({ $ref }) => $ref?.endsWith(`/${name}`)),
      operationId,
    );
  for (const [type, { schema, example }] of Object.entries(requestBody?.content ?? {})) {
    if (type === 'multipart/form-data') assert.ok(schema?.properties?.['file'] || String(schema?.['$ref']).endsWith('Form'), operationId);
    assert.notEqual(example, undefined, `${operationId} takes ${type}`);
  }
  for (const { content } of Object.values(responses))
    for (const [type, { example }] of Object.entries(content ?? {})) assert.notEqual(example, undefined, `${operationId} answers ${type}`);
}

/** Texts of a schema by path (`[]`: an item of a list, `{}`: any other field), each with whether the schema states a minimum. */
function* textsIn(schema: JsonSchema, path = ''): Generator<readonly [path: string, saysSo: boolean]> {
  const { type, enum: values, minLength, anyOf, items, additionalProperties } = schema;
  if ([type].flat().includes('string') && values === undefined) yield [path, Number(minLength ?? 0) > 0];
  for (const [name, child] of Object.entries(schema.properties ?? {})) yield* textsIn(child, `${path}.${name}`);
  if (items) yield* textsIn(items, `${path}[]`);
  if (isSchema(additionalProperties)) yield* textsIn(additionalProperties, `${path}{}`);
  if (Array.isArray(anyOf)) for (const one of anyOf.filter(isSchema)) yield* textsIn(one, path);
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

/** The paths of Joi's texts that refuse an empty one, also in lists and alternatives. A path occurs once for each such text. */
function* refusing(schema: unknown, path = ''): Generator<string> {
  if (!Joi.isSchema(schema) || !('$_terms' in schema)) return;
  if (schema.type === 'string' && memberOf(Object(schema)._flags, 'only') !== true) {
    const { error } = schema.validate('', { convert: false });
    if (error?.details.some(({ type }) => type === 'string.empty')) yield path;
  }
  const terms = Object(schema.$_terms);
  for (const { key, schema: child } of terms.keys ?? []) yield* refusing(child, `${path}.${key}`);
  for (const child of terms.items ?? []) yield* refusing(child, `${path}[]`);
  for (const { rule } of terms.patterns ?? []) yield* refusing(rule, `${path}{}`);
  for (const match of terms.matches ?? [])
    for (const child of [match.schema, match.then, match.otherwise, ...(match.switch ?? []).map(({ then }: { then: unknown }) => then)])
      yield* refusing(child, path);
}

function assertMinimaAreSaid({ id, params, query, body, bytes }: RowFacts): number {
  let found = 0;
  for (const taken of [params, query, body, bytes?.describedBy]) {
    if (!taken) continue;
    const said = Map.groupBy(textsIn(jsonSchemaOf(taken, PARAMETERS)), ([path]) => path);
    for (const [path, texts] of Map.groupBy(refusing(taken), (one) => one)) {
      const saying = (said.get(path) ?? []).filter(([, saysSo]) => saysSo).length;
      assert.ok(saying >= texts.length, `${id}: ${path} refuses '' and does not say so`);
      if (/[[{]/.test(path)) found += 1;
    }
  }
  return found;
}

function assertFits({ id }: RowFacts, what: string, example: unknown, schema: RowFacts['returns']): void {
  if (example === undefined) return;
  const { error } = schema.validate(example, { convert: false });
  assert.equal(error, undefined, `${what} of ${id}: ${JSON.stringify(example)}`);
}
