/**
 * Translates each of Evolution's send calls to one of ours. Ignores `delay`, because the device
 * paces its messages itself.
 */

import { refusal } from '../../../actors/domain/refusals.ts';
import { evolutionMessage } from '../../../actors/services/webhooks/forms/evolution-message.ts';
import { chatOf, type Device, deviceNamed, keyAt, messageNamed } from '../addresses.ts';
import type { DoorCall, Translation } from '../door.ts';
import { at, isTrueAt, listAt, numberAt, textAt, textsAt } from '../fields.ts';

type Fields = Readonly<Record<string, unknown>>;

const send = (name: string, content: (call: DoorCall) => Fields | Promise<Fields>): Translation => ({
  method: 'POST',
  path: `/message/${name}/{instance}`,
  status: 201,
  async run(call) {
    const device = await deviceNamed(call, call.params['instance']);
    return sent(call, device, await content(call));
  },
});

async function sent(call: DoorCall, device: Device, content: Fields) {
  const { body, now } = call;
  const chat = chatOf(textAt(body, 'number'));
  const quoted = keyAt(body, 'quoted', 'key');
  const mentioned = isTrueAt(body, 'mentionsEveryOne') ? ['everyone'] : textsAt(body, 'mentioned');
  const asked = {
    chat_id: chat,
    ...content,
    ...(quoted.id !== undefined && { reply_to: await messageNamed(call, device, { ...quoted, chat: quoted.chat ?? chat }) }),
    ...(mentioned.length > 0 && { mentions: mentioned }),
  };
  const params = { sessionId: device.id };
  const id = textAt(await call.ask('sendMessage', { params, body: asked }), 'id') ?? '';
  return shown(await call.ask('getMessage', { params: { ...params, messageId: id } }), device, now);
}

const shown = (entry: unknown, device: Device, now: number) =>
  evolutionMessage(typeof entry === 'object' && entry !== null ? { ...entry } : {}, device.id, now);

const fileWith = async (call: DoorCall, text: string | undefined): Promise<Fields> => ({
  ...(await call.file(text)),
  ...optional('filename', textAt(call.body, 'fileName')),
});

const optional = (name: string, value: unknown): Fields => (value === undefined ? {} : { [name]: value });

async function media(call: DoorCall): Promise<Fields> {
  const { body } = call;
  const type = textAt(body, 'mediatype') ?? 'document';
  const caption = type === 'audio' ? undefined : textAt(body, 'caption');
  return { type, ...(await fileWith(call, textAt(body, 'media') ?? textAt(body, 'file'))), ...optional('caption', caption) };
}

function card({ body }: DoorCall): Fields {
  const cards = listAt(body, 'contact');
  if (cards.length !== 1) throw refusal('VALIDATION_FAILED', { field: 'contact', reason: ONE_CARD });
  const [first] = cards;
  const wuid = textAt(first, 'wuid')?.replace(/\D/g, '');
  const phone = wuid ? `+${wuid}` : textAt(first, 'phoneNumber');
  return { type: 'contact', contact: { name: textAt(first, 'fullName'), phone } };
}

const ONE_CARD = { en: 'each message must have exactly one contact', id: 'setiap pesan harus memuat tepat satu kontak' };

async function reaction(call: DoorCall) {
  const { body, now } = call;
  const device = await deviceNamed(call, call.params['instance']);
  const named = keyAt(body, 'key');
  const messageId = await messageNamed(call, device, named);
  const emoji = textAt(body, 'reaction') ?? '';
  const entry = await call.ask('reactToMessage', { params: { sessionId: device.id, messageId }, body: { emoji } });
  const about = {
    chat_id: textAt(entry, 'chat_id'),
    direction: 'outbound',
    id: messageId,
    wa_message_id: named.id,
    message_type: 'reaction',
  };
  return shown({ ...about, emoji, target_wa_message_id: named.id, status: 'sent' }, device, now);
}

export const sends: readonly Translation[] = [
  send('sendText', ({ body }) => ({
    type: 'text',
    body: textAt(body, 'text'),
    ...optional('link_preview', at(body, 'linkPreview')),
  })),
  send('sendMedia', media),
  send('sendWhatsAppAudio', async (call) => ({
    type: 'audio',
    voice_note: true,
    ...(await fileWith(call, textAt(call.body, 'audio') ?? textAt(call.body, 'file'))),
  })),
  send('sendPtv', async (call) => ({ type: 'video', round: true, ...(await fileWith(call, textAt(call.body, 'video'))) })),
  send('sendSticker', async (call) => ({ type: 'sticker', ...(await fileWith(call, textAt(call.body, 'sticker'))) })),
  send('sendLocation', ({ body }) => ({
    type: 'location',
    location: { lat: numberAt(body, 'latitude'), lng: numberAt(body, 'longitude') },
  })),
  send('sendContact', card),
  send('sendPoll', ({ body }) => ({ type: 'poll', poll_name: textAt(body, 'name'), choices: textsAt(body, 'values') })),
  { method: 'POST', path: '/message/sendReaction/{instance}', status: 201, run: reaction },
  ...['sendButtons', 'sendList', 'sendTemplate'].map(
    (name): Translation => ({
      method: 'POST',
      path: `/message/${name}/{instance}`,
      instead: 'sendMessage with `type: text`, or with `interactive` on an official device',
    }),
  ),
  { method: 'POST', path: '/message/sendStatus/{instance}', instead: 'POST /v1/sessions/{sessionId}/status' },
];
