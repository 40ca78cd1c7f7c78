/** Maps WAHA's sessions to our devices. */

import { randomBytes } from 'node:crypto';
import { refusal } from '../../../actors/domain/refusals.ts';
import { WAHA_EVENTS } from '../../../actors/services/webhooks/forms/waha.ts';
import { type Device, deviceMade, deviceNamed, fitted } from '../addresses.ts';
import type { DoorCall, Translation } from '../door.ts';
import { at, isTrueAt, listAt, textAt, textsAt } from '../fields.ts';
import { wahaSession } from './shapes.ts';

const named = (call: DoorCall): Promise<Device> => deviceNamed(call, call.params['session'] ?? textAt(call.body, 'name'));

async function create(call: DoorCall) {
  const { ask, body } = call;
  const name = textAt(body, 'name') ?? 'default';
  const hooks = listAt(body, 'config', 'webhooks').filter((one) => textAt(one, 'url') !== undefined);
  if (hooks.some((one) => listAt(one, 'customHeaders').length > 0))
    throw refusal('VALIDATION_FAILED', { field: 'config.webhooks', reason: NO_HEADERS });
  const made = await deviceMade(call, name);
  const params = { sessionId: made.id };
  await fitted(call, made, async () => {
    for (const one of hooks) await ask('createWebhook', { body: webhookOf(one, made.id) });
  });
  return wahaSession(at(body, 'start') === false ? made.record : await ask('connectSession', { params }));
}

function webhookOf(webhook: unknown, session_id: string) {
  const names = textsAt(webhook, 'events');
  const all = names.length === 0 || names.includes('*');
  const events = [...new Set((all ? Object.keys(WAHA_EVENTS) : names).flatMap((name) => WAHA_EVENTS[name] ?? []))];
  const secret = textAt(webhook, 'hmac', 'key') ?? randomBytes(32).toString('base64url');
  return { url: textAt(webhook, 'url'), secret, events, format: 'waha', session_id };
}

const NO_HEADERS = {
  en: 'customHeaders of a webhook are not supported',
  id: 'customHeaders webhook tidak didukung',
};

const change = (row: string) => async (call: DoorCall) => {
  const { id } = await named(call);
  return wahaSession(await call.ask(row, { params: { sessionId: id } }));
};

async function remove(call: DoorCall) {
  const { id } = await named(call);
  await call.ask('deleteSession', { params: { sessionId: id } });
  return {};
}

async function qr(call: DoorCall) {
  const { id } = await named(call);
  const params = { sessionId: id };
  if (textAt(call.query, 'format') !== 'raw') return call.ask('getQr', { params, query: { format: 'png' } });
  return { value: textAt(await call.ask('getQr', { params }), 'qr') };
}

async function code(call: DoorCall) {
  const { id } = await named(call);
  const phone = `+${(textAt(call.body, 'phoneNumber') ?? '').replace(/\D/g, '')}`;
  return { code: textAt(await call.ask('requestPairingCode', { params: { sessionId: id }, body: { phone } }), 'code') };
}

const act = (verb: string, row: string): readonly Translation[] => [
  { method: 'POST', path: `/api/sessions/{session}/${verb}`, status: 201, run: change(row) },
];

export const sessions: readonly Translation[] = [
  {
    method: 'GET',
    path: '/api/sessions',
    status: 200,
    async run({ ask, query }) {
      const all = listAt(await ask('listSessions'), 'sessions').map(wahaSession);
      return isTrueAt(query, 'all') ? all : all.filter(({ status }) => status !== 'STOPPED');
    },
  },
  { method: 'POST', path: '/api/sessions', status: 201, run: create },
  { method: 'GET', path: '/api/sessions/{session}', status: 200, run: async (call) => wahaSession((await named(call)).record) },
  { method: 'DELETE', path: '/api/sessions/{session}', status: 200, run: remove },
  { method: 'GET', path: '/api/sessions/{session}/me', status: 200, run: async (call) => wahaSession((await named(call)).record).me },
  ...act('start', 'connectSession'),
  ...act('stop', 'disconnectSession'),
  ...act('restart', 'restartSession'),
  ...act('logout', 'logOutSession'),
  { method: 'GET', path: '/api/{session}/auth/qr', status: 200, run: qr },
  { method: 'POST', path: '/api/{session}/auth/request-code', status: 201, run: code },
];
