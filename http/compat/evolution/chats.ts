/** Translates Evolution's calls about chats, messages and people. */

import { Readable } from 'node:stream';
import { refusal } from '../../../actors/domain/refusals.ts';
import { evolutionMessage } from '../../../actors/services/webhooks/forms/evolution-message.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import { Raw } from '../../core/row.ts';
import { chatOf, type Device, deviceNamed, keyAt, messageNamed } from '../addresses.ts';
import type { DoorCall, Translation } from '../door.ts';
import { at, listAt, numberAt, textAt, textsAt } from '../fields.ts';

type Run = (call: DoorCall, device: Device) => unknown;

const chat = (name: string, status: number, run: Run, method: Translation['method'] = 'POST'): Translation => ({
  method,
  path: `/chat/${name}/{instance}`,
  status,
  run: async (call) => run(call, await deviceNamed(call, call.params['instance'])),
});

const digitsOf = (jid: string | undefined): string => (jid ?? '').replace(/@.*|\D/g, '');

async function numbers({ ask, body }: DoorCall, { id }: Device) {
  const phones = textsAt(body, 'numbers').map((one) => chatOf(one).replace(/@s\.whatsapp\.net$/, ''));
  const asked = phones.map((one) => (/^\d+$/.test(one) ? `+${one}` : one));
  const { results } = record(await ask('validateNumbers', { params: { sessionId: id }, body: { phones: asked } }));
  return listAt(results).map((one) => {
    const jid = textAt(one, 'jid');
    const number = digitsOf(jid) || digitsOf(textAt(one, 'input'));
    return { jid: jid ?? `${number}@s.whatsapp.net`, exists: at(one, 'exists') === true, number };
  });
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/**
 * The number of chats is limited, because each one needs an internal call that the request limit
 * does not count.
 */
const MOST_CHATS = 50;
const TOO_MANY = { en: `at most ${MOST_CHATS} chats at once`, id: `paling banyak ${MOST_CHATS} percakapan sekaligus` };

async function read({ ask, body }: DoorCall, { id }: Device) {
  const chats = new Set(listAt(body, 'readMessages').map((one) => chatOf(textAt(one, 'remoteJid'))));
  if (chats.size > MOST_CHATS) throw refusal('VALIDATION_FAILED', { field: 'readMessages', reason: TOO_MANY });
  for (const chatId of chats) await ask('readChat', { params: { sessionId: id, chatId } });
  return { message: 'Read messages', read: 'success' };
}

/**
 * Sets the indicator in one chat, because presence exists only per chat here. Any state other than
 * typing and recording clears it.
 */
async function presence({ ask, body }: DoorCall, { id }: Device) {
  const asked = textAt(body, 'presence') ?? 'composing';
  const state = asked === 'composing' || asked === 'recording' ? asked : 'paused';
  await ask('showPresence', { params: { sessionId: id, chatId: chatOf(textAt(body, 'number')) }, body: { state } });
  return { presence: asked };
}

async function mediaOf(call: DoorCall, device: Device) {
  const messageId = await messageNamed(call, device, keyAt(call.body, 'message', 'key'));
  const params = { sessionId: device.id, messageId };
  const entry = await call.ask('getMessage', { params });
  const file = await call.ask('getMessageMedia', { params });
  if (!(file instanceof Raw)) throw refusal('NOT_FOUND');
  const head = {
    mediaType: `${textAt(entry, 'message_type')}Message`,
    fileName: textAt(entry, 'media', 'filename') ?? messageId,
    size: { fileLength: numberAt(entry, 'media', 'size') ?? null },
    mimetype: textAt(entry, 'media', 'content_type') ?? file.type,
  };
  const source = file.body instanceof Readable ? file.body : Readable.from([Buffer.from(file.body)]);
  const body = Readable.from(inBase64(JSON.stringify(head), source), { objectMode: false });
  return new Raw(body, 'application/json; charset=utf-8', 201);
}

async function* inBase64(head: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  yield `${head.slice(0, -1)},"base64":"`;
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    const all = Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % 3);
    yield all.toString('base64', 0, whole);
    rest = all.subarray(whole);
  }
  yield `${rest.toString('base64')}"}`;
}

/**
 * Page numbers are limited, because reading a page by its number means reading all pages before it.
 */
const MOST_PAGES = 20;
const MOST_RECORDS = 50;

async function messages({ ask, body }: DoorCall, { id }: Device) {
  const where = at(body, 'where', 'key');
  const limit = Math.min(Math.max(numberAt(body, 'offset') ?? MOST_RECORDS, 1), MOST_RECORDS);
  const page = Math.min(Math.max(numberAt(body, 'page') ?? 1, 1), MOST_PAGES);
  const filter = {
    ...(textAt(where, 'remoteJid') !== undefined && { chat_id: chatOf(textAt(where, 'remoteJid')) }),
    ...(textAt(where, 'id') !== undefined && { wa_message_id: textAt(where, 'id') }),
  };
  const params = { sessionId: id };
  let next: Readonly<Record<string, unknown>> | null = {};
  let found: readonly unknown[] = [];
  let before = 0;
  for (let nth = 1; nth <= page && next; nth++) {
    before += found.length;
    const answer = record(await ask('listMessages', { params, query: { ...filter, limit, ...next } }));
    found = listAt(answer, 'messages');
    const { next_before, next_before_id } = answer;
    next = next_before === null ? null : { before: next_before, before_id: next_before_id };
    if (next === null && nth < page) found = [];
  }
  const records = [];
  for (const one of found) records.push(await shownEntry(ask, id, one));
  const total = before + found.length + (next ? 1 : 0);
  return { messages: { total, pages: next ? page + 1 : page, currentPage: page, records } };
}

/** Loads the full entry, because lists contain neither the network id nor the file. */
async function shownEntry(ask: DoorCall['ask'], sessionId: string, listed: unknown) {
  const entry = record(await ask('getMessage', { params: { sessionId, messageId: textAt(listed, 'id') ?? '' } }));
  return { id: entry['id'], ...evolutionMessage(entry, sessionId, numberAt(entry, 'created_at') ?? 0) };
}

async function chats({ ask, body }: DoorCall, { id }: Device) {
  const remoteJid = textAt(body, 'where', 'remoteJid');
  const limit = Math.min(Math.max(numberAt(body, 'offset') ?? 50, 1), 200);
  const wanted = remoteJid === undefined ? undefined : chatOf(remoteJid);
  const found =
    wanted === undefined
      ? listAt(await ask('listChats', { params: { sessionId: id }, query: { limit } }), 'chats')
      : [await ask('getChat', { params: { sessionId: id, chatId: wanted } })];
  return found.map((one) => ({
    id: textAt(one, 'id'),
    remoteJid: textAt(one, 'chat_id'),
    pushName: textAt(one, 'chat_name') ?? null,
    profilePicUrl: null,
    updatedAt: new Date(numberAt(one, 'last_message_at') ?? 0).toISOString(),
    unreadCount: numberAt(one, 'unread_count') ?? 0,
    lastMessage: { message: { conversation: textAt(one, 'last_message') ?? '' } },
  }));
}

async function contacts({ ask, body }: DoorCall, { id }: Device) {
  const wanted = textAt(body, 'where', 'id') ?? textAt(body, 'where', 'remoteJid');
  const limit = Math.min(Math.max(numberAt(body, 'offset') ?? 200, 1), 200);
  const query = wanted === undefined ? { limit } : { limit, q: digitsOf(wanted) };
  return listAt(await ask('listContacts', { query }), 'contacts').map((one) => ({
    id: textAt(one, 'id'),
    remoteJid: textAt(one, 'phone') === undefined ? textAt(one, 'lid') : `${textAt(one, 'phone')}@s.whatsapp.net`,
    pushName: textAt(one, 'name') ?? null,
    profilePicUrl: null,
    instanceId: id,
  }));
}

async function person({ ask, body }: DoorCall, { id }: Device) {
  const number = digitsOf(chatOf(textAt(body, 'number')));
  return { number, found: await ask('getPerson', { params: { sessionId: id, phone: `+${number}` } }) };
}

/** Returns a path, not a full URL, because a browser cannot load the file without the API key. */
const pictureOf = (found: unknown): string | null => {
  const key = textAt(found, 'picture');
  return key === undefined ? null : `/v1/media/${key}`;
};

async function picture(call: DoorCall, device: Device) {
  const { number, found } = await person(call, device);
  return { wuid: `${number}@s.whatsapp.net`, profilePictureUrl: pictureOf(found) };
}

async function profile(call: DoorCall, device: Device) {
  const { number, found } = await person(call, device);
  return {
    wuid: `${number}@s.whatsapp.net`,
    name: textAt(found, 'person', 'name') ?? null,
    numberExists: true,
    picture: pictureOf(found),
    status: { status: textAt(found, 'about') ?? null },
    isBusiness: isRecord(at(found, 'business')),
  };
}

async function edit(call: DoorCall, device: Device) {
  const { ask, body, now } = call;
  const messageId = await messageNamed(call, device, keyAt(body, 'key'));
  const entry = await ask('editMessage', { params: { sessionId: device.id, messageId }, body: { body: textAt(body, 'text') } });
  return evolutionMessage(record(entry), device.id, now);
}

async function erase(call: DoorCall, device: Device) {
  const { ask, body, now } = call;
  const messageId = await messageNamed(call, device, keyAt(body));
  const params = { sessionId: device.id, messageId };
  await ask('deleteMessage', { params });
  return { ...evolutionMessage(record(await ask('getMessage', { params })), device.id, now), status: 'DELETED' };
}

const INSTEAD: Readonly<Record<string, string>> = {
  archiveChat: 'PATCH /v1/sessions/{sessionId}/chats/{chatId} with `archived`',
  markChatUnread: 'PATCH /v1/sessions/{sessionId}/chats/{chatId} with `unread`',
  updateBlockStatus: 'POST /v1/sessions/{sessionId}/blocklist',
  findStatusMessage: 'GET /v1/sessions/{sessionId}/messages',
  fetchBusinessProfile: 'GET /v1/sessions/{sessionId}/people/{phone}',
  updateProfileName: 'PATCH /v1/sessions/{sessionId}/account',
  updateProfileStatus: 'PATCH /v1/sessions/{sessionId}/account',
  updateProfilePicture: 'PUT /v1/sessions/{sessionId}/account/picture',
  removeProfilePicture: 'DELETE /v1/sessions/{sessionId}/account/picture',
  fetchPrivacySettings: 'GET /v1/sessions/{sessionId}/account/privacy',
  updatePrivacySettings: 'PATCH /v1/sessions/{sessionId}/account/privacy',
};

export const chatCalls: readonly Translation[] = [
  chat('whatsappNumbers', 200, numbers),
  chat('markMessageAsRead', 201, read),
  chat('sendPresence', 201, presence),
  chat('getBase64FromMediaMessage', 201, mediaOf),
  chat('findMessages', 200, messages),
  chat('findChats', 200, chats),
  chat('findContacts', 200, contacts),
  chat('fetchProfilePictureUrl', 200, picture),
  chat('fetchProfile', 200, profile),
  chat('updateMessage', 200, edit),
  chat('deleteMessageForEveryone', 201, erase, 'DELETE'),
  ...Object.entries(INSTEAD).flatMap(([name, instead]) =>
    (['GET', 'POST', 'DELETE'] as const).map((method): Translation => ({ method, path: `/chat/${name}/{instance}`, instead })),
  ),
];
