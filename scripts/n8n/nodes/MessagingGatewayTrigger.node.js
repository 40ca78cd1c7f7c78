/**
 * Starts a workflow on each event. The trigger creates a webhook with its own secret when the
 * workflow is activated, and removes it when the workflow is deactivated. A delivery whose
 * signature does not match its raw bytes is refused.
 */

const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto');
const { events } = require('./operations.generated.json');

const CREDENTIAL = 'messagingGatewayApi';

async function call(context, method, path, body) {
  const { url } = await context.getCredentials(CREDENTIAL);
  const options = { method, url: `${String(url).replace(/\/+$/, '')}${path}`, json: true, disableFollowRedirect: true };
  return context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, { ...options, ...(body && { body }) });
}

function isGenuine(raw, header, secret) {
  if (!Buffer.isBuffer(raw) || typeof header !== 'string' || typeof secret !== 'string') return false;
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('base64')}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const webhookMethods = {
  default: {
    async checkExists() {
      const { webhookId, secret } = this.getWorkflowStaticData('node');
      if (!webhookId || !secret) return false;
      const { webhooks } = await call(this, 'GET', '/v1/webhooks');
      return webhooks.some(({ id, url }) => id === webhookId && url === this.getNodeWebhookUrl('default'));
    },
    async create() {
      const secret = randomBytes(32).toString('base64url');
      const session = this.getNodeParameter('sessionId', '');
      const body = { url: this.getNodeWebhookUrl('default'), secret, events: this.getNodeParameter('events') };
      const { id } = await call(this, 'POST', '/v1/webhooks', { ...body, ...(session && { session_id: session }) });
      Object.assign(this.getWorkflowStaticData('node'), { webhookId: id, secret });
      return true;
    },
    async delete() {
      const data = this.getWorkflowStaticData('node');
      if (data.webhookId) await call(this, 'DELETE', `/v1/webhooks/${encodeURIComponent(data.webhookId)}`);
      delete data.webhookId;
      delete data.secret;
      return true;
    },
  },
};

class MessagingGatewayTrigger {
  constructor() {
    this.webhookMethods = webhookMethods;
    this.description = {
      displayName: 'Messaging Gateway Trigger',
      name: 'messagingGatewayTrigger',
      group: ['trigger'],
      version: 1,
      description: 'Starts when an event occurs on a messaging gateway',
      defaults: { name: 'Messaging Gateway Trigger' },
      inputs: [],
      outputs: ['main'],
      credentials: [{ name: CREDENTIAL, required: true }],
      webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
      properties: [
        {
          displayName: 'Events',
          name: 'events',
          type: 'multiOptions',
          required: true,
          default: ['message.received'],
          options: events.map((value) => ({ name: value, value })),
        },
        {
          displayName: 'Device',
          name: 'sessionId',
          type: 'string',
          default: '',
          description: 'Only events of this device. If empty, events of all devices',
        },
      ],
    };
  }

  async webhook() {
    const { secret } = this.getWorkflowStaticData('node');
    const { rawBody } = this.getRequestObject();
    if (!isGenuine(rawBody, this.getHeaderData()['x-webhook-signature'], secret)) {
      this.getResponseObject().status(401).send('the signature is not valid').end();
      return { noWebhookResponse: true };
    }
    return { workflowData: [this.helpers.returnJsonArray([JSON.parse(rawBody.toString('utf8'))])] };
  }
}

module.exports = { MessagingGatewayTrigger };
