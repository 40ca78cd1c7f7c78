/**
 * WAHA's sends and chat actions. The body contains the session's name. Without it, `default` is
 * used.
 */

import { refusal } from '../../../actors/domain/refusals.ts';
import { chatOf, type Device, deviceNamed, messageNamed } from '../addresses.ts';
import type { DoorCall, Translation } from '../door.ts';
import { at, listAt, numberAt, textAt, textsAt } from '../fields.ts';
import { messageIn, wahaMessage } from './shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

const sessionOf = (call: DoorCall): Promise<Device> =>
  deviceNamed(call, call.params['session'] ?? textAt(call.body, 'session') ?? textAt(call.query, 'session') ?? 'default');

const act = (method: 'POST' | 'PUT', name: string, status: number, run: (call: DoorCall, device: Device) => unknown): Translation => ({
  method,
  path: `/api/${name}`,
  status,
  run: async (call) => run(call, await sessionOf(call)),
});

const send = (name: string, content: (call: DoorCall) => Fields | Promise<Fields>): Translation =>
  act('POST', name, 201, async (call, device) => {
    const { body, ask } = call;
    const quoted = textAt(body, 'reply_to');
    const mentions = textsAt(body, 'mentions').map((one) => (one === 'all' ? 'everyone' : chatOf(one)));
    const chat_id = chatOf(textAt(body, 'chatId'));
    const asked = {
      chat_id,
      ...(await content(call)),
      ...(quoted !== undefined && { reply_to: await messageNamed(call, device, { chat: chat_id, ...messageIn(quoted) }) }),
      ...(mentions.length > 0 && { mentions }),
    };
    const params = { sessionId: device.id };
    const messageId = textAt(await ask('sendMessage', { params, body: asked }), 'id') ?? '';
    return wahaMessage(await ask('getMessage', { params: { ...params, messageId } }));
  });

async function file(call: DoorCall, type: string, more: Fields = {}): Promise<Fields> {
  const { body } = call;
  const name = textAt(body, 'file', 'filename');
  const caption = type === 'audio' ? undefined : textAt(body, 'caption');
  return {
    ...{ type, ...more },
    ...(await call.file(textAt(body, 'file', 'url') ?? textAt(body, 'file', 'data'))),
    ...(name !== undefined && { filename: name }),
    ...(caption !== undefined && { caption }),
  };
}

function card({ body }: DoorCall): Fields {
  const cards = listAt(body, 'contacts');
  if (cards.length !== 1) throw refusal('VALIDATION_FAILED', { field: 'contacts', reason: ONE_CARD });
  const vcard = textAt(cards[0], 'vcard') ?? '';
  const waid = /waid=(\d+)/.exec(vcard)?.[1] ?? textAt(cards[0], 'whatsappId')?.replace(/@.*/, '');
  const phone = waid === undefined ? (textAt(cards[0], 'phoneNumber') ?? /^TEL[^:]*:(.+)$/m.exec(vcard)?.[1]?.trim()) : `+${waid}`;
  return { type: 'contact', contact: { name: textAt(cards[0], 'fullName') ?? /^FN:(.+)$/m.exec(vcard)?.[1]?.trim(), phone } };
}

const ONE_CARD = { en: 'each message must have exactly one contact', id: 'setiap pesan harus memuat tepat satu kontak' };

async function reaction(call: DoorCall, device: Device) {
  const messageId = await messageNamed(call, device, messageIn(textAt(call.body, 'messageId')));
  const params = { sessionId: device.id, messageId };
  await call.ask('reactToMessage', { params, body: { emoji: textAt(call.body, 'reaction') ?? '' } });
  return { success: true };
}

async function seen({ ask, body }: DoorCall, device: Device) {
  await ask('readChat', { params: { sessionId: device.id, chatId: chatOf(textAt(body, 'chatId')) } });
  return { success: true };
}

const typing =
  (state: string) =>
  async ({ ask, body }: DoorCall, device: Device) => {
    await ask('showPresence', { params: { sessionId: device.id, chatId: chatOf(textAt(body, 'chatId')) }, body: { state } });
    return { result: true };
  };

async function exists(call: DoorCall) {
  const device = await sessionOf(call);
  const phone = chatOf(textAt(call.query, 'phone')).replace(/@s\.whatsapp\.net$/, '');
  const found = await call.ask('validateNumbers', { params: { sessionId: device.id }, body: { phones: [phone] } });
  const [one] = listAt(found, 'results');
  const jid = textAt(one, 'jid');
  return { numberExists: at(one, 'exists') === true, ...(jid !== undefined && { chatId: jid.replace(/@s\.whatsapp\.net$/, '@c.us') }) };
}

async function messages(call: DoorCall) {
  const device = await sessionOf(call);
  const { ask, query, params } = call;
  const chat_id = chatOf(params['chatId'] ?? textAt(query, 'chatId'));
  const limit = Math.min(Math.max(numberAt(query, 'limit') ?? 10, 1), 50);
  const listed = listAt(await ask('listMessages', { params: { sessionId: device.id }, query: { chat_id, limit } }), 'messages');
  const found = [];
  for (const one of listed)
    found.push(wahaMessage(await ask('getMessage', { params: { sessionId: device.id, messageId: textAt(one, 'id') ?? '' } })));
  return found;
}

export const sends: readonly Translation[] = [
  send('sendText', ({ body }) => {
    const preview = at(body, 'linkPreview');
    return { type: 'text', body: textAt(body, 'text'), ...(preview !== undefined && { link_preview: preview }) };
  }),
  send('sendImage', (call) => file(call, 'image')),
  send('sendFile', (call) => file(call, 'document')),
  send('sendVideo', (call) => file(call, 'video')),
  send('sendVoice', (call) => file(call, 'audio', { voice_note: true })),
  send('sendPoll', ({ body }) => ({ type: 'poll', poll_name: textAt(body, 'poll', 'name'), choices: textsAt(body, 'poll', 'options') })),
  send('sendLocation', ({ body }) => ({
    type: 'location',
    location: { lat: numberAt(body, 'latitude'), lng: numberAt(body, 'longitude') },
  })),
  send('sendContactVcard', card),
  act('PUT', 'reaction', 200, reaction),
  act('POST', 'sendSeen', 201, seen),
  act('POST', 'startTyping', 201, typing('composing')),
  act('POST', 'stopTyping', 201, typing('paused')),
  { method: 'GET', path: '/api/contacts/check-exists', status: 200, run: exists },
  { method: 'GET', path: '/api/messages', status: 200, run: messages },
  { method: 'GET', path: '/api/{session}/chats/{chatId}/messages', status: 200, run: messages },
];
