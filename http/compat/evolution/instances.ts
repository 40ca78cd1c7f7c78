/** Maps Evolution's instances to our devices, which are identified by name. Does not create API keys. */

import { invalidField, refusal } from '../../../actors/domain/refusals.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { Raw } from '../../core/row.ts';
import { type Device, deviceMade, deviceNamed, fitted } from '../addresses.ts';
import type { DoorCall, Translation } from '../door.ts';
import { listAt, numberAt, textAt } from '../fields.ts';
import { setWebhook } from './webhooks.ts';

const STATES: Readonly<Record<string, string>> = { connected: 'open', pending: 'connecting', qr_ready: 'connecting' };
const stateOf = (session: unknown): string => STATES[textAt(session, 'status') ?? ''] ?? 'close';

function shown(session: unknown) {
  const number = textAt(session, 'phone_number') ?? null;
  return {
    id: textAt(session, 'id'),
    name: textAt(session, 'name') ?? textAt(session, 'id'),
    connectionStatus: stateOf(session),
    ownerJid: number && `${number}@s.whatsapp.net`,
    profileName: textAt(session, 'wa_name') ?? null,
    profilePicUrl: null,
    integration: 'WHATSAPP-BAILEYS',
    number,
    token: null,
    disconnectionReasonCode: numberAt(session, 'code') ?? null,
    createdAt: new Date(numberAt(session, 'created_at') ?? 0).toISOString(),
  };
}

async function list({ ask, query }: DoorCall) {
  const wanted = textAt(query, 'instanceName') ?? textAt(query, 'instanceId');
  const all = listAt(await ask('listSessions'), 'sessions');
  const found = all.filter((one) => wanted === undefined || textAt(one, 'name') === wanted || textAt(one, 'id') === wanted);
  if (wanted !== undefined && found.length === 0) throw refusal('NOT_FOUND');
  return found.map(shown);
}

async function create(call: DoorCall) {
  const { body, key } = call;
  const name = textAt(body, 'instanceName');
  if (name === undefined) throw invalidField('instanceName', NO_NAME);
  const device = await deviceMade(call, name);
  const instance = { instanceName: name, instanceId: device.id, integration: 'WHATSAPP-BAILEYS', status: 'connecting' };
  if (textAt(body, 'webhook', 'url') !== undefined) await fitted(call, device, () => setWebhook(call, device));
  return { instance, hash: key, qrcode: await codes(call, device, textAt(body, 'number')) };
}

const NO_NAME = { en: 'instanceName is required', id: 'instanceName wajib diisi' };

const TRIES = 20;
const EVERY_MS = 250;

async function codes(call: DoorCall, device: Device, number: string | undefined) {
  const { ask } = call;
  const params = { sessionId: device.id };
  await ask('connectSession', { params });
  if (number !== undefined) {
    const pairingCode = textAt(await ask('requestPairingCode', { params, body: { phone: `+${number.replace(/\D/g, '')}` } }), 'code');
    return { pairingCode, code: pairingCode, base64: null, count: 1 };
  }
  const code = await readyCode(call, params);
  if (code === null) return { pairingCode: null, code: null, base64: null, count: 0 };
  const drawn = await ask('getQr', { params, query: { format: 'png' } });
  const picture = drawn instanceof Raw && drawn.body instanceof Buffer ? drawn.body.toString('base64') : null;
  const base64 = picture && `data:image/png;base64,${picture}`;
  return { pairingCode: null, code, base64, count: 1 };
}

async function readyCode({ ask, wait }: DoorCall, params: { readonly sessionId: string }): Promise<string | null> {
  for (let tried = 0; tried < TRIES; tried++) {
    try {
      return textAt(await ask('getQr', { params }), 'qr') ?? null;
    } catch (cause) {
      if (!(cause instanceof Refusal) || cause.code !== 'CONFLICT') throw cause;
    }
    await wait(EVERY_MS);
  }
  return null;
}

const one = (method: Translation['method'], name: string, run: (call: DoorCall, device: Device) => unknown, status = 200): Translation => ({
  method,
  path: `/instance/${name}/{instance}`,
  status,
  run: async (call) => run(call, await deviceNamed(call, call.params['instance'])),
});

async function connect(call: DoorCall, device: Device) {
  if (stateOf(device.record) === 'open') return state(device.record);
  return codes(call, device, textAt(call.query, 'number'));
}

const state = (session: unknown) => ({ instance: { instanceName: shown(session).name, state: stateOf(session) } });

async function restart({ ask }: DoorCall, { id }: Device) {
  return state(await ask('restartSession', { params: { sessionId: id } }));
}

const ended =
  (row: string, message: string) =>
  async ({ ask }: DoorCall, { id }: Device) => {
    await ask(row, { params: { sessionId: id } });
    return { status: 'SUCCESS', error: false, response: { message } };
  };

export const instances: readonly Translation[] = [
  { method: 'POST', path: '/instance/create', status: 201, run: create },
  { method: 'GET', path: '/instance/fetchInstances', status: 200, run: list },
  one('GET', 'connect', connect),
  one('GET', 'connectionState', (_call, { record }) => state(record)),
  one('POST', 'restart', restart),
  one('PUT', 'restart', restart),
  one('DELETE', 'logout', ended('logOutSession', 'Instance logged out')),
  one('DELETE', 'delete', ended('deleteSession', 'Instance deleted')),
  { method: 'POST', path: '/instance/setPresence/{instance}', instead: 'PATCH /v1/sessions/{sessionId} with `presence`' },
];
