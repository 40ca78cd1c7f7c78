/**
 * Builds events in the format of Evolution API 2. Unlike Evolution, does not include the receiver's
 * API key.
 */

import { memberOf } from '../../../../runtime/shapes.ts';
import type { EventBody } from '../../events/types.ts';
import { evolutionKey, evolutionMessage, STATUSES } from './evolution-message.ts';
import type { Around, Form } from './form.ts';

export const evolutionForm: Form = (event, around) => {
  const told = toldOf(event, around);
  if (told === null) return null;
  const { device, url, address } = around;
  return {
    ...told,
    instance: device.name,
    destination: url,
    date_time: new Date(event.occurred_at).toISOString(),
    sender: device.phone && `${device.phone}@s.whatsapp.net`,
    server_url: `${address}/compat/evolution`,
    apikey: null,
  };
};

interface Told {
  readonly event: string;
  readonly data: object;
}

function toldOf({ type, data, occurred_at: at }: EventBody, { device }: Around): Told | null {
  const message = (event: string, of = data): Told => ({ event, data: evolutionMessage(of, device.id, at) });
  switch (type) {
    case 'message.received':
    case 'message.reaction':
      return message('messages.upsert');
    case 'message.sent':
      return message(data['from_phone'] === true ? 'messages.upsert' : 'send.message');
    case 'message.delivered':
    case 'message.read':
    case 'message.failed': {
      const { id: keyId, ...key } = evolutionKey(data);
      const status = STATUSES[String(data['status'])];
      return { event: 'messages.update', data: { keyId, ...key, status, instanceId: device.id, messageId: data['message_id'] } };
    }
    case 'message.edited':
      return message('messages.edited');
    case 'message.deleted':
      return { event: 'messages.delete', data: { ...evolutionKey(data), instanceId: device.id, status: 'DELETED' } };
    case 'session.connected':
      return connection(device.name, { state: 'open', statusReason: 200, profileName: data['wa_name'] });
    case 'session.disconnected':
      return connection(device.name, { state: 'close', statusReason: data['code'] ?? 0 });
    case 'qr.generated':
      return {
        event: 'qrcode.updated',
        data: { qrcode: { instance: device.name, pairingCode: null, code: memberOf(data, 'qr'), base64: null } },
      };
    default:
      return null;
  }
}

const connection = (instance: string, data: object): Told => ({ event: 'connection.update', data: { instance, ...data } });

export const EVOLUTION_EVENTS: Readonly<Record<string, readonly string[]>> = {
  MESSAGES_UPSERT: ['message.received', 'message.reaction'],
  SEND_MESSAGE: ['message.sent'],
  MESSAGES_UPDATE: ['message.delivered', 'message.read', 'message.failed'],
  MESSAGES_EDITED: ['message.edited'],
  MESSAGES_DELETE: ['message.deleted'],
  CONNECTION_UPDATE: ['session.connected', 'session.disconnected'],
  QRCODE_UPDATED: ['qr.generated'],
};
