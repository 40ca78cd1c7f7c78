/** Generates the n8n node's table of operations and events from the OpenAPI document. */

import { isRecord } from '../../../runtime/shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const SHOWN: Readonly<Record<string, readonly string[]>> = {
  Message: [
    ...['sendMessage', 'listMessages', 'getMessage', 'getMessageMedia', 'editMessage', 'deleteMessage', 'reactToMessage'],
    ...['forwardMessage', 'cancelMessage', 'retryMessage', 'scheduleMessage', 'listScheduled', 'cancelScheduled'],
  ],
  Chat: ['listInbox', 'getChat', 'listChatMessages', 'readChat', 'changeChat', 'assignChat', 'addChatNote', 'showPresence'],
  Contact: ['listContacts', 'createContact', 'getContact', 'changeContact', 'deleteContact', 'putConsent'],
  Device: ['listSessions', 'getSession', 'createSession', 'connectSession', 'getQr', 'validateNumbers'],
  Campaign: ['listBlasts', 'createBlast', 'getBlast', 'startBlast'],
  Group: ['listGroups', 'getGroup'],
  File: ['uploadMedia'],
};

export function n8nOf(document: unknown): string {
  const { paths, components } = recordOf(document);
  const schemas = recordOf(recordOf(components)['schemas']);
  const all = new Map(
    Object.entries(recordOf(paths)).flatMap(([path, methods]) =>
      Object.entries(recordOf(methods)).map(
        ([method, facts]) =>
          [String(recordOf(facts)['operationId']), { path, method: method.toUpperCase(), facts: recordOf(facts) }] as const,
      ),
    ),
  );
  const operations = Object.entries(SHOWN).flatMap(([resource, ids]) =>
    ids.map((id) => {
      const served = all.get(id);
      if (!served) throw new Error(`there is no operation ${id}`);
      return { id, resource, ...operationOf(id, served, schemas) };
    }),
  );
  const about = 'Generated from the OpenAPI document by `npm run client`. A test says when it is stale.';
  return `${JSON.stringify({ about, operations, events: eventsIn(all.get('createWebhook')?.facts ?? {}, schemas) }, null, 2)}\n`;
}

interface Served {
  readonly path: string;
  readonly method: string;
  readonly facts: Fields;
}

function operationOf(id: string, { path, method, facts }: Served, schemas: Fields) {
  const parameters = listOf(facts['parameters']).map(recordOf);
  const of = (place: string) => parameters.filter((one) => one['in'] === place && one['name'] !== 'before' && one['name'] !== 'before_id');
  const body = resolved(contentOf(facts['requestBody']), schemas);
  const needed = listOf(body['required']);
  const answer = answerOf(facts, schemas);
  const { properties: answered } = recordOf(answer);
  const lists = Object.entries(recordOf(answered)).flatMap(([name, schema]) => (recordOf(schema)['type'] === 'array' ? [name] : []));
  const isList = id.startsWith('list') && lists.length === 1;
  return {
    name: facts['summary'],
    ...(typeof facts['description'] === 'string' && { description: facts['description'] }),
    method,
    path,
    ...(parameters.some((one) => one['name'] === 'idempotency-key') && { keyed: true }),
    ...(isList && { list: lists[0] }),
    ...(isList && recordOf(answered)['next_before'] !== undefined && { isPaged: true }),
    ...(answer === null && { answersFile: true }),
    fields: [
      ...of('path').map((one) => fieldOf(one['name'], 'path', true, one['schema'], one['description'], schemas)),
      ...of('query').map((one) => fieldOf(one['name'], 'query', one['required'] === true, one['schema'], one['description'], schemas)),
      ...Object.entries(recordOf(body['properties'])).map(([name, schema]) =>
        fieldOf(name, 'body', needed.includes(name), schema, undefined, schemas),
      ),
    ],
  };
}

const contentOf = (holder: unknown): unknown => recordOf(recordOf(recordOf(holder)['content'])['application/json'])['schema'];

function resolved(schema: unknown, schemas: Fields): Fields {
  const { $ref: ref, ...rest } = recordOf(schema);
  return typeof ref === 'string' ? { ...recordOf(schemas[ref.replace('#/components/schemas/', '')]), ...rest } : rest;
}

function answerOf(facts: Fields, schemas: Fields): Fields | null {
  const [, good] = Object.entries(recordOf(facts['responses'])).find(([status]) => status.startsWith('2')) ?? [];
  const schema = contentOf(good);
  return schema === undefined ? null : resolved(schema, schemas);
}

function fieldOf(name: unknown, place: string, required: boolean, schema: unknown, about: unknown, schemas: Fields) {
  const found = resolved(schema, schemas);
  const options = listOf(found['enum']).filter((one) => one !== null);
  const description = about ?? found['description'];
  return {
    name: String(name),
    in: place,
    type: options.length > 0 ? 'options' : typeOf(found),
    required,
    ...(typeof description === 'string' && { description }),
    ...(options.length > 0 && { options }),
  };
}

/** Users enter fields as JSON unless they are strings, numbers or booleans. */
function typeOf({ type }: Fields): string {
  const [first, ...others] = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  if (others.length > 0) return 'json';
  if (first === 'integer' || first === 'number') return 'number';
  return first === 'string' || first === 'boolean' ? first : 'json';
}

function eventsIn(facts: Fields, schemas: Fields): readonly unknown[] {
  const body = resolved(contentOf(facts['requestBody']), schemas);
  return listOf(recordOf(recordOf(recordOf(body['properties'])['events'])['items'])['enum']);
}
