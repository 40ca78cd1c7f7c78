import { STATUS_CODES } from 'node:http';
import type { Door, Translation } from '../door.ts';
import { sends } from './sends.ts';
import { sessions } from './sessions.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** Paths that are not translated. They must come last, because the first matching path is used. */
const DENIED: Readonly<Record<string, string>> = {
  '/api/screenshot': 'GET /v1/sessions/{sessionId}/qr',
  '/api/sendButtons': 'sendMessage with `type: text`, or with `interactive` on an official device',
  '/api/sendList': 'sendMessage with `type: text`, or with `interactive` on an official device',
  '/api/star': 'no operation: marks of the phone stay on the phone',
  '/api/forwardMessage': 'POST /v1/sessions/{sessionId}/messages/{messageId}/forward',
  '/api/{session}/chats/*': 'the operations below /v1/sessions/{sessionId}/chats',
  '/api/{session}/groups/*': 'the operations below /v1/sessions/{sessionId}/groups',
  '/api/{session}/labels/*': 'the operations below /v1/sessions/{sessionId}/labels',
  '/api/{session}/lids/*': 'GET /v1/sessions/{sessionId}/people/{phone}',
  '/api/{session}/status/*': 'POST /v1/sessions/{sessionId}/status',
  '/api/contacts/*': 'the operations below /v1/contacts',
  '/api/server/*': 'GET /health',
};

const denied = Object.entries(DENIED).flatMap(([path, instead]) => METHODS.map((method): Translation => ({ method, path, instead })));

export const waha: Door = {
  name: 'waha',
  keyHeader: 'x-api-key',
  table: [...sends, ...sessions, ...denied],
  error: (statusCode, message, code) => ({ statusCode, error: STATUS_CODES[statusCode] ?? 'Error', message, code }),
};
