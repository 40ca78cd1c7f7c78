/**
 * Offers the operations of `operations.generated.json`, and a handwritten one that sends a file.
 * Every call goes to the address in the credential. A send has an idempotency key made from the
 * execution, the node, its run and the item, so that a retry does not send a duplicate.
 */

const { NodeOperationError } = require('n8n-workflow');
const { operations } = require('./operations.generated.json');

const CREDENTIAL = 'messagingGatewayApi';
/** Maximum number of pages per list. Reading stops earlier if the list repeats a cursor. */
const MOST_PAGES = 1_000;
const BINARY = {
  displayName: 'Input Binary Field',
  name: 'binaryField',
  type: 'string',
  default: 'data',
  required: true,
  description: 'The name of the field with the file',
};

const SEND_FILE = {
  id: 'sendFile',
  resource: 'Message',
  name: 'Send a file',
  isBinary: true,
  fields: [
    { name: 'sessionId', in: 'path', type: 'string', required: true, description: 'The device' },
    { name: 'chat_id', in: 'body', type: 'string', required: true, description: 'A phone number or an address' },
    {
      name: 'type',
      in: 'body',
      type: 'options',
      required: true,
      options: ['image', 'document', 'audio', 'video', 'sticker'],
      description: 'How it is shown',
    },
    { name: 'caption', in: 'body', type: 'string', required: false, description: 'For an image, a video or a document' },
    { name: 'voice_note', in: 'body', type: 'boolean', required: false, description: 'Audio only: shown as a voice note' },
  ],
};

const ALL = [...operations, SEND_FILE];
const titleOf = (name) => name.replaceAll('_', ' ').replace(/\b\w/g, (letter) => letter.toUpperCase());
const takesFile = ({ id, isBinary }) => isBinary || id === 'uploadMedia';

function property({ name, type, description, options, required }) {
  const empty = { string: '', number: 0, boolean: false, json: '', options: options?.[0] }[type];
  return {
    displayName: titleOf(name),
    name,
    type,
    default: empty,
    description,
    ...(required && { required }),
    ...(options && { options: options.map((value) => ({ name: titleOf(String(value)), value })) }),
  };
}

function propertiesOf(operation) {
  const shownFor = { show: { resource: [operation.resource], operation: [operation.id] } };
  const shown = (one) => ({ ...one, displayOptions: shownFor });
  const [needed, others] = [operation.fields.filter((one) => one.required), operation.fields.filter((one) => !one.required)];
  return [
    ...needed.map((one) => shown(property(one))),
    ...(takesFile(operation) ? [shown(BINARY)] : []),
    ...(operation.isPaged ? [shown({ displayName: 'Return All', name: 'returnAll', type: 'boolean', default: false })] : []),
    ...(others.length > 0
      ? [shown({ displayName: 'Further Fields', name: 'further', type: 'collection', default: {}, options: others.map(property) })]
      : []),
  ];
}

const resources = [...new Set(ALL.map(({ resource }) => resource))].sort();

const properties = [
  {
    ...{ displayName: 'Resource', name: 'resource', type: 'options', noDataExpression: true, default: 'Message' },
    options: resources.map((name) => ({ name, value: name })),
  },
  ...resources.map((resource) => {
    const own = ALL.filter((one) => one.resource === resource);
    return {
      ...{ displayName: 'Operation', name: 'operation', type: 'options', noDataExpression: true, default: own[0].id },
      displayOptions: { show: { resource: [resource] } },
      options: own.map(({ id, name, description }) => ({ name, value: id, action: name, description })),
    };
  }),
  ...ALL.flatMap(propertiesOf),
];

function requestOf(context, { path, fields }, i) {
  const further = fields.some((one) => !one.required) ? context.getNodeParameter('further', i, {}) : {};
  const request = { path, query: {}, body: {} };
  for (const field of fields) {
    const given = field.required ? context.getNodeParameter(field.name, i) : further[field.name];
    if (given === undefined) continue;
    const value = field.type === 'json' && typeof given === 'string' ? JSON.parse(given) : given;
    if (field.in === 'path') request.path = request.path.replace(`{${field.name}}`, encodeURIComponent(String(value)));
    else request[field.in][field.name] = value;
  }
  return request;
}

async function call(context, options) {
  const { url } = await context.getCredentials(CREDENTIAL);
  const { path, ...rest } = options;
  // Redirects are disabled, because a redirect would send the key to another host.
  const whole = { ...rest, url: `${String(url).replace(/\/+$/, '')}${path}`, disableFollowRedirect: true };
  return context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, whole);
}

/**
 * Sends no key without an execution id, because the same key would be used again and later messages
 * would be dropped.
 */
function keyOf(context, i) {
  const execution = context.getExecutionId();
  if (!execution || execution === '__UNKNOWN__') return {};
  return { 'Idempotency-Key': [execution, context.getNode().id, context.evaluateExpression('{{ $runIndex }}', i), i].join('-') };
}

async function uploaded(context, i) {
  const name = context.getNodeParameter('binaryField', i);
  const { mimeType, fileName } = context.helpers.assertBinaryData(i, name);
  return call(context, {
    method: 'POST',
    path: '/v1/media/upload',
    qs: fileName ? { filename: fileName } : {},
    headers: { 'content-type': mimeType },
    body: await context.helpers.getBinaryDataBuffer(i, name),
  });
}

async function downloaded(context, path) {
  const { body, headers } = await call(context, { method: 'GET', path, encoding: 'arraybuffer', returnFullResponse: true, json: false });
  const type = headers['content-type'];
  return [{ json: { content_type: type }, binary: { data: await context.helpers.prepareBinaryData(Buffer.from(body), undefined, type) } }];
}

async function paged(context, operation, { path, query }, all) {
  const found = [];
  let next = {};
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await call(context, { method: 'GET', path, qs: { ...query, ...next }, json: true });
    found.push(...answer[operation.list]);
    const { next_before: before, next_before_id: before_id } = answer;
    if (!all || before === null || before === undefined || (before === next.before && before_id === next.before_id)) break;
    next = { before, before_id };
  }
  return found.map((json) => ({ json }));
}

async function answersOf(context, operation, i) {
  if (operation.id === 'uploadMedia') return [{ json: await uploaded(context, i) }];
  const request = requestOf(context, operation.id === 'sendFile' ? { ...operation, path: SEND.path } : operation, i);
  const { path, query } = request;
  if (operation.answersFile) return downloaded(context, path);
  if (operation.isPaged) return paged(context, operation, request, context.getNodeParameter('returnAll', i, false));
  const { keyed, method } = operation.id === 'sendFile' ? SEND : operation;
  const file = operation.id === 'sendFile' ? { media_r2_key: (await uploaded(context, i)).key } : {};
  const json = await call(context, {
    ...{ method, path, qs: query, json: true },
    ...(keyed && { headers: keyOf(context, i) }),
    ...(method !== 'GET' && { body: { ...request.body, ...file } }),
  });
  return operation.list ? json[operation.list].map((one) => ({ json: one })) : [{ json }];
}

const SEND = operations.find(({ id }) => id === 'sendMessage');

class MessagingGateway {
  constructor() {
    this.description = {
      displayName: 'Messaging Gateway',
      name: 'messagingGateway',
      group: ['output'],
      version: 1,
      subtitle: '={{ $parameter["operation"] }}',
      description: 'Send and read messages through a messaging gateway',
      defaults: { name: 'Messaging Gateway' },
      inputs: ['main'],
      outputs: ['main'],
      credentials: [{ name: CREDENTIAL, required: true }],
      properties,
    };
  }

  async execute() {
    const found = [];
    for (const [i] of this.getInputData().entries()) {
      try {
        const id = this.getNodeParameter('operation', i);
        const operation = ALL.find((one) => one.id === id);
        if (!operation) throw new NodeOperationError(this.getNode(), `there is no operation ${id}`, { itemIndex: i });
        found.push(...(await answersOf(this, operation, i)).map((one) => ({ ...one, pairedItem: { item: i } })));
      } catch (cause) {
        if (!this.continueOnFail()) throw cause;
        found.push({ json: { error: String(cause.message) }, pairedItem: { item: i } });
      }
    }
    return [found];
  }
}

module.exports = { MessagingGateway };
