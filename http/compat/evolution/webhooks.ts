/**
 * Maps the webhook of an Evolution instance (a device) to one of our webhooks, which uses
 * Evolution's format and receives only that device's events.
 */

import { randomBytes } from 'node:crypto';
import { refusal } from '../../../actors/domain/refusals.ts';
import { EVOLUTION_EVENTS } from '../../../actors/services/webhooks/forms/evolution.ts';
import { type Device, deviceNamed } from '../addresses.ts';
import type { DoorCall, Translation } from '../door.ts';
import { at, isTrueAt, listAt, textAt, textsAt } from '../fields.ts';

const isOf = (device: Device) => (one: unknown) => textAt(one, 'format') === 'evolution' && textAt(one, 'session_id') === device.id;

async function existing({ ask }: DoorCall, device: Device): Promise<unknown> {
  return listAt(await ask('listWebhooks'), 'webhooks').find(isOf(device));
}

export async function setWebhook(call: DoorCall, device: Device) {
  const asked = at(call.body, 'webhook') ?? call.body;
  const url = textAt(asked, 'url');
  if (url === undefined) throw refusal('VALIDATION_FAILED', { field: 'webhook.url', reason: NO_URL });
  if (['byEvents', 'webhookByEvents', 'base64', 'webhookBase64'].some((name) => isTrueAt(asked, name)))
    throw refusal('VALIDATION_FAILED', { field: 'webhook', reason: NOT_SO });
  const events = eventsOf(textsAt(asked, 'events'));
  const known = await existing(call, device);
  const id = textAt(known, 'id');
  const paused = at(asked, 'enabled') === false;
  const { ask } = call;
  if (id !== undefined) return shown(await ask('updateWebhook', { params: { id }, body: { url, events, paused } }), device);
  // Evolution has no webhook secrets. Updating our webhook with PATCH can replace this random one.
  const secret = randomBytes(32).toString('base64url');
  const made = await ask('createWebhook', { body: { url, events, secret, format: 'evolution', session_id: device.id } });
  const created = textAt(made, 'id') ?? '';
  return shown(paused ? await ask('updateWebhook', { params: { id: created }, body: { paused } }) : made, device);
}

const NO_URL = { en: 'url is required', id: 'url wajib diisi' };
const NOT_SO = {
  en: 'byEvents and base64 are not supported: one address receives all events, and files are read with getBase64FromMediaMessage',
  id: 'byEvents dan base64 tidak didukung: satu alamat menerima semua kejadian, dan berkas dibaca dengan getBase64FromMediaMessage',
};

/** An empty list selects all events. */
function eventsOf(names: readonly string[]): readonly string[] {
  const wanted = names.length === 0 ? Object.keys(EVOLUTION_EVENTS) : names;
  const events = [...new Set(wanted.flatMap((name) => EVOLUTION_EVENTS[name] ?? []))];
  if (events.length === 0) throw refusal('VALIDATION_FAILED', { field: 'webhook.events', reason: NO_EVENT });
  return events;
}

const NO_EVENT = {
  en: `none of these events is supported; supported events: ${Object.keys(EVOLUTION_EVENTS).join(', ')}`,
  id: `tidak satu pun kejadian ini didukung; yang didukung: ${Object.keys(EVOLUTION_EVENTS).join(', ')}`,
};

function shown(webhook: unknown, device: Device) {
  const ours = textsAt(webhook, 'events');
  return {
    id: textAt(webhook, 'id'),
    url: textAt(webhook, 'url'),
    enabled: at(webhook, 'disabled_at') === null,
    events: Object.entries(EVOLUTION_EVENTS).flatMap(([name, needs]) => (needs.every((one) => ours.includes(one)) ? [name] : [])),
    headers: null,
    webhookByEvents: false,
    webhookBase64: false,
    instanceId: device.id,
  };
}

const deviceOf = (call: DoorCall): Promise<Device> => deviceNamed(call, call.params['instance']);

export const webhookCalls: readonly Translation[] = [
  { method: 'POST', path: '/webhook/set/{instance}', status: 201, run: async (call) => setWebhook(call, await deviceOf(call)) },
  {
    method: 'GET',
    path: '/webhook/find/{instance}',
    status: 200,
    async run(call) {
      const device = await deviceOf(call);
      const webhook = await existing(call, device);
      return webhook === undefined ? null : shown(webhook, device);
    },
  },
];
