import { STATUS_CODES } from 'node:http';
import type { Door, Translation } from '../door.ts';
import { chatCalls } from './chats.ts';
import { instances } from './instances.ts';
import { sends } from './sends.ts';
import { webhookCalls } from './webhooks.ts';

const FAMILIES: Readonly<Record<string, string>> = {
  settings: 'PATCH /v1/sessions/{sessionId}',
  proxy: 'PATCH /v1/sessions/{sessionId} with `proxy_url`',
  chatwoot: '`npx gateway bridge chatwoot`',
  rabbitmq: '`npx gateway listen --to amqp://…`',
  sqs: '`npx gateway listen`',
  websocket: 'GET /v1/events',
  typebot: 'a webhook (POST /v1/webhooks) and sendMessage',
  evolutionBot: 'a webhook (POST /v1/webhooks) and sendMessage',
  dify: 'a webhook (POST /v1/webhooks) and sendMessage',
  flowise: 'a webhook (POST /v1/webhooks) and sendMessage',
  openai: 'PUT /v1/ai-reply',
  group: 'the operations below /v1/sessions/{sessionId}/groups',
  label: 'the operations below /v1/sessions/{sessionId}/labels',
  call: 'PATCH /v1/sessions/{sessionId}/calls',
  template: 'POST /v1/templates',
};

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

const denied = Object.entries(FAMILIES).flatMap(([name, instead]) =>
  METHODS.map((method): Translation => ({ method, path: `/${name}/*`, instead })),
);

export const evolution: Door = {
  name: 'evolution',
  keyHeader: 'apikey',
  table: [...sends, ...chatCalls, ...instances, ...webhookCalls, ...denied],
  error: (status, message, code) => ({ status, error: STATUS_CODES[status] ?? 'Error', response: { message: [message], code } }),
};
