/** Addresses and devices as other programs write them, in our form. */

import { refusal } from '../../actors/domain/refusals.ts';
import type { DoorCall } from './door.ts';
import { listAt, textAt } from './fields.ts';

/** A chat: bare digits are always international there, and `@c.us` is an older spelling of a number. */
export function chatOf(text: string | undefined): string {
  if (text === undefined) throw refusal('VALIDATION_FAILED', { field: 'number', reason: NO_CHAT });
  if (text.includes('@')) return text.replace(/@c\.us$/, '@s.whatsapp.net');
  return /^\d{8,15}$/.test(text) ? `+${text}` : text;
}

export interface Device {
  readonly id: string;
  readonly record: unknown;
}

/**
 * The device of this name or id, among those that the key may use. Fails with NOT_FOUND, and CONFLICT when two have the name:
 * otherwise a user who may rename a device could receive messages meant for another device.
 */
export async function deviceNamed({ ask }: Pick<DoorCall, 'ask'>, name: string | undefined): Promise<Device> {
  const all = listAt(await ask('listSessions'), 'sessions');
  const found = all.filter((one) => name !== undefined && (textAt(one, 'name') === name || textAt(one, 'id') === name));
  const [first] = found;
  if (found.length > 1) throw refusal('CONFLICT', { reason: TWO });
  const id = textAt(first, 'id');
  if (id === undefined) throw refusal('NOT_FOUND', { reason: NO_DEVICE });
  return { id, record: first };
}

/** Makes a device of a name that no other has. Fails with CONFLICT; of two calls at once, both may be refused. */
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

/**
 * Runs `fit` on a device that was just made. When it is refused, the device goes with its webhooks:
 * the call can be repeated.
 */
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

/** A message as another program names it. */
export interface Named {
  /** The network's id, or ours. */
  readonly id: string | undefined;
  /** Senders choose the network's ids, so that an id without its chat may be that of another message. */
  readonly chat?: string | undefined;
}

/**
 * Our id of a message that is named by the network's id or by ours. Fails with NOT_FOUND, and
 * CONFLICT when two have the name.
 */
export async function messageNamed({ ask }: Pick<DoorCall, 'ask'>, device: Device, { id: name, chat }: Named): Promise<string> {
  const params = { sessionId: device.id };
  if (name !== undefined) {
    const where = chat === undefined ? {} : { chat_id: chatOf(chat) };
    const found = await ask('listMessages', { params, query: { ...where, wa_message_id: name.slice(0, 128), limit: 2 } });
    const [first, second] = listAt(found, 'messages');
    if (second !== undefined) throw refusal('CONFLICT', { reason: NAMESAKES });
    const id = textAt(first, 'id');
    if (id !== undefined) return id;
    // A send is answered before the network knows it: until then its id is ours.
    if (OURS.test(name)) return textAt(await ask('getMessage', { params: { ...params, messageId: name } }), 'id') ?? name;
  }
  throw refusal('NOT_FOUND', { reason: NO_MESSAGE });
}

/** The message that a key of Evolution names, at a path of names. */
export const keyAt = (body: unknown, ...path: readonly string[]): Named => ({
  id: textAt(body, ...path, 'id'),
  chat: textAt(body, ...path, 'remoteJid'),
});

const OURS = /^[\dA-HJKMNP-TV-Z]{26}$/;
const NO_CHAT = { en: 'a number or an address is required', id: 'nomor atau alamat wajib diisi' };
const TAKEN = { en: 'a device of this name exists', id: 'perangkat dengan nama ini sudah ada' };
const TWO = { en: 'two devices have this name; use the id', id: 'dua perangkat bernama sama; gunakan id' };
const NAMESAKES = {
  en: 'several messages have this id; name the chat too',
  id: 'beberapa pesan memiliki id ini; sebutkan juga obrolannya',
};
const NO_DEVICE = { en: 'no device has this name', id: 'tidak ada perangkat dengan nama ini' };
const NO_MESSAGE = { en: 'there is no such message', id: 'pesan itu tidak ada' };
