/** Converts other gateways' addresses and device names into ours. */

import { refusal } from '../../actors/domain/refusals.ts';
import type { DoorCall } from './door.ts';
import { listAt, textAt } from './fields.ts';

/** Other gateways treat bare digits as international numbers and use `@c.us` as an older suffix. */
export function chatOf(text: string | undefined): string {
  if (text === undefined) throw refusal('VALIDATION_FAILED', { field: 'number', reason: NO_CHAT });
  if (text.includes('@')) return text.replace(/@c\.us$/, '@s.whatsapp.net');
  return /^\d{8,15}$/.test(text) ? `+${text}` : text;
}

export interface Device {
  readonly id: string;
  readonly record: unknown;
}

/** Fails with CONFLICT if two devices share the name, so that neither gets the other's messages. */
export async function deviceNamed({ ask }: Pick<DoorCall, 'ask'>, name: string | undefined): Promise<Device> {
  const all = listAt(await ask('listSessions'), 'sessions');
  const found = all.filter((one) => name !== undefined && (textAt(one, 'name') === name || textAt(one, 'id') === name));
  const [first] = found;
  if (found.length > 1) throw refusal('CONFLICT', { reason: TWO });
  const id = textAt(first, 'id');
  if (id === undefined) throw refusal('NOT_FOUND', { reason: NO_DEVICE });
  return { id, record: first };
}

/** If two concurrent calls use the same new name, both may fail with CONFLICT. */
export async function deviceMade({ ask }: Pick<DoorCall, 'ask'>, name: string): Promise<Device> {
  const isTaken = async (own?: string): Promise<boolean> =>
    listAt(await ask('listSessions'), 'sessions').some((one) => textAt(one, 'name') === name && textAt(one, 'id') !== own);
  if (await isTaken()) throw refusal('CONFLICT', { reason: TAKEN });
  const record = await ask('createSession', { body: { name } });
  const id = textAt(record, 'id') ?? '';
  if (!(await isTaken(id))) return { id, record };
  await ask('deleteSession', { params: { sessionId: id } });
  throw refusal('CONFLICT', { reason: TAKEN });
}

/** If `fit` fails, removes the device and its webhooks, so that the caller can retry. */
export async function fitted<T>({ ask }: Pick<DoorCall, 'ask'>, { id }: Device, fit: () => Promise<T>): Promise<T> {
  try {
    return await fit();
  } catch (cause) {
    const own = listAt(await ask('listWebhooks').catch(() => null), 'webhooks').filter((one) => textAt(one, 'session_id') === id);
    for (const one of own) await ask('deleteWebhook', { params: { id: textAt(one, 'id') ?? '' } });
    await ask('deleteSession', { params: { sessionId: id } });
    throw cause;
  }
}

export interface Named {
  /** Either the network's message id or ours. */
  readonly id: string | undefined;
  /** Senders choose network ids, so without the chat an id may refer to another message. */
  readonly chat?: string | undefined;
}

/** Fails with NOT_FOUND, and with CONFLICT if two messages match. */
export async function messageNamed({ ask }: Pick<DoorCall, 'ask'>, device: Device, { id: name, chat }: Named): Promise<string> {
  const params = { sessionId: device.id };
  if (name !== undefined) {
    const where = chat === undefined ? {} : { chat_id: chatOf(chat) };
    const found = await ask('listMessages', { params, query: { ...where, wa_message_id: name.slice(0, 128), limit: 2 } });
    const [first, second] = listAt(found, 'messages');
    if (second !== undefined) throw refusal('CONFLICT', { reason: NAMESAKES });
    const id = textAt(first, 'id');
    if (id !== undefined) return id;
    // We respond to a send before the network assigns its id, so the caller may know only our id.
    if (OURS.test(name)) return textAt(await ask('getMessage', { params: { ...params, messageId: name } }), 'id') ?? name;
  }
  throw refusal('NOT_FOUND', { reason: NO_MESSAGE });
}

export const keyAt = (body: unknown, ...path: readonly string[]): Named => ({
  id: textAt(body, ...path, 'id'),
  chat: textAt(body, ...path, 'remoteJid'),
});

const OURS = /^[\dA-HJKMNP-TV-Z]{26}$/;
const NO_CHAT = { en: 'a number or an address is required', id: 'nomor atau alamat wajib diisi' };
const TAKEN = { en: 'a device with this name already exists', id: 'perangkat dengan nama ini sudah ada' };
const TWO = { en: 'two devices have this name; use the id', id: 'dua perangkat bernama sama; gunakan id' };
const NAMESAKES = {
  en: 'several messages have this id; also specify the chat',
  id: 'beberapa pesan memiliki id ini; tentukan juga percakapannya',
};
const NO_DEVICE = { en: 'no device has this name', id: 'tidak ada perangkat dengan nama ini' };
const NO_MESSAGE = { en: 'this message does not exist', id: 'pesan ini tidak ada' };
