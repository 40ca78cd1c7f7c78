import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import { boundedFields, type ContentExtras, type ContentKind } from '../../../store/messaging/content-kinds.ts';
import { KIND_LABELS } from '../kind-labels.ts';
import type { Content, FileReference, KeptEvent } from '../port.ts';

/**
 * Converts webhooks into events. Unknown types become `unsupported`, and malformed parts are
 * skipped. A number is used only if the platform states that it belongs to the author.
 */

type Value = Readonly<Record<string, unknown>>;

interface Writer {
  readonly phone: string | null;
  readonly userId: string | null;
  readonly name: string | null;
  readonly username: string | null;
}

export interface Recipient {
  readonly phone: string | null;
  readonly userId: string | null;
}

export interface Move {
  readonly from: Recipient;
  readonly to: Recipient;
  readonly at: number;
}

interface Preference extends Recipient {
  readonly wantsMarketing: boolean;
  readonly at: number;
}

export interface Status {
  readonly wamid: string;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly at: number;
  readonly opaque: string | null;
  readonly code: number | null;
  readonly recipient: Recipient;
  readonly pricing: Pricing | null;
}

export interface Pricing {
  readonly category: string;
  readonly type: string;
  readonly billable: boolean;
}

const WINDOW_MS = 86_400_000;

const textOf = (value: unknown, name: string): string | null => {
  const text = memberOf(value, name);
  return typeof text === 'string' && text !== '' ? text : null;
};
const recordsIn = (value: unknown, name: string): readonly Value[] => {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list.filter(isRecord) : [];
};
/** Returns 0 if invalid. `timestamp` is a string in messages, but a number in account fields. */
const timeOf = (value: unknown): number => {
  const seconds = Number(memberOf(value, 'timestamp'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
};

const PHONE = /^\d{5,15}$/;
const phoneIn = (value: unknown, name: string): string | null => {
  const digits = textOf(value, name);
  return digits !== null && PHONE.test(digits) ? digits : null;
};
const STATUSES = new Map<unknown, Status['status']>([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);

/** Older versions of the platform send only `billable`, without `type`. */
function pricingOf(value: unknown): Pricing | null {
  const category = textOf(value, 'category');
  if (category === null) return null;
  const type = textOf(value, 'type') ?? (memberOf(value, 'billable') === false ? 'free_customer_service' : 'regular');
  return { category: category.toLowerCase(), type: type.toLowerCase(), billable: type.toLowerCase() === 'regular' };
}

export function statusesIn(value: unknown): readonly Status[] {
  return recordsIn(value, 'statuses').flatMap((one) => {
    const status = STATUSES.get(one['status']);
    const wamid = textOf(one, 'id');
    if (!status || wamid === null) return [];
    const code = Number(memberOf(recordsIn(one, 'errors')[0], 'code'));
    const errorCode = Number.isFinite(code) ? code : null;
    const recipient = { phone: phoneIn(one, 'recipient_id'), userId: textOf(one, 'recipient_user_id') };
    const opaque = textOf(one, 'biz_opaque_callback_data');
    return [{ wamid, status, at: timeOf(one), opaque, code: errorCode, recipient, pricing: pricingOf(one['pricing']) }];
  });
}

export const preferencesIn = (value: unknown): readonly Preference[] =>
  recordsIn(value, 'user_preferences').flatMap((one) => {
    const wantsMarketing = one['value'] === 'resume';
    const isKnown = one['category'] === 'marketing_messages' && (wantsMarketing || one['value'] === 'stop');
    return isKnown ? [{ phone: phoneIn(one, 'wa_id'), userId: textOf(one, 'user_id'), wantsMarketing, at: timeOf(one) }] : [];
  });

export const messagesIn = (value: unknown): readonly Value[] => recordsIn(value, 'messages');

export function moveIn(message: Value): Move | null {
  const system = message['type'] === 'system' ? message['system'] : null;
  const type = textOf(system, 'type');
  if (type !== 'user_changed_number' && type !== 'user_changed_user_id') return null;
  const from = { phone: phoneIn(message, 'from'), userId: textOf(system, 'previous_user_id') };
  const to = { phone: phoneIn(system, 'wa_id'), userId: textOf(system, 'user_id') };
  return { from, to, at: timeOf(message) };
}

export function writersIn(value: unknown): (message: Value) => Writer | null {
  const contacts = new Map<unknown, Value>();
  for (const one of recordsIn(value, 'contacts').toReversed()) contacts.set(one['wa_id'], one).set(one['user_id'], one);
  return (message) => writerOf(message, contacts);
}

function writerOf(message: Value, contacts: ReadonlyMap<unknown, Value>): Writer | null {
  const from = textOf(message, 'from');
  const userId = textOf(message, 'from_user_id');
  const contact = (from === null ? undefined : contacts.get(from)) ?? (userId === null ? undefined : contacts.get(userId));
  const known = textOf(contact, 'user_id') ?? userId;
  const phone = from !== null && PHONE.test(from) ? from : null;
  if (phone === null && known === null) return null;
  const profile = memberOf(contact, 'profile');
  return { phone, userId: known, name: textOf(profile, 'name'), username: textOf(profile, 'username') };
}

export function eventOf(message: Value, writer: Writer, address: string, alias: string | null): KeptEvent | null {
  const netId = textOf(message, 'id');
  if (netId === null) return null;
  const at = timeOf(message);
  const alt = alias === null || alias === address ? {} : { chatAlt: alias, fromAlt: alias };
  const where = { chat: address, from: address, ...alt };
  const type = textOf(message, 'type') ?? 'unsupported';
  if (type === 'system') return null;
  if (type === 'reaction') {
    const target = textOf(message['reaction'], 'message_id') ?? '';
    const emoji = textOf(message['reaction'], 'emoji') ?? '';
    return { type: 'reaction', ...where, token: netId, netId, fromName: writer.name, target, at, emoji };
  }
  const { content, extras, file } = contentOf(type, message);
  const quotes = textOf(message['context'], 'id');
  const isForwarded = memberOf(message['context'], 'forwarded') === true || memberOf(message['context'], 'frequently_forwarded') === true;
  const beside: ContentExtras = { ...extras, ...adOf(message['referral']), ...(isForwarded && { forwarded: true }) };
  return {
    type: 'received',
    message: {
      ...where,
      netId,
      fromName: writer.name,
      ...(writer.username !== null && { fromUsername: writer.username }),
      content,
      ...(file && { file }),
      quotes,
      ...(Object.keys(beside).length > 0 && { extras: beside }),
      windowUntil: at + WINDOW_MS,
      at,
    },
  };
}

function adOf(referral: unknown): ContentExtras {
  if (!isRecord(referral)) return {};
  const [title, body] = [textOf(referral, 'headline'), textOf(referral, 'body')];
  const from = { source_url: textOf(referral, 'source_url'), source_id: textOf(referral, 'source_id') };
  return { ad: { title, body, ...from, ctwa: textOf(referral, 'ctwa_clid') } };
}

interface Read {
  readonly content: Content;
  readonly extras?: ContentExtras;
  readonly file?: FileReference;
}

function contentOf(type: string, message: Value): Read {
  const part = message[type];
  switch (type) {
    case 'text':
      return { content: { type: 'text', body: textOf(part, 'body') ?? '' } };
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return fileOf(type, part);
    case 'location': {
      const place = { name: textOf(part, 'name'), address: textOf(part, 'address'), url: textOf(part, 'url') };
      const isPlace = place.name !== null || place.address !== null || place.url !== null;
      const [lat, lng] = [Number(memberOf(part, 'latitude')), Number(memberOf(part, 'longitude'))];
      return { content: { type: 'location', lat, lng }, ...(isPlace && { extras: { place } }) };
    }
    case 'contacts':
      return cardsOf(message);
    case 'button':
      return kind('button_answer', textOf(part, 'text'), { id: textOf(part, 'payload'), text: textOf(part, 'text') });
    case 'interactive':
      return answerOf(part);
    case 'order':
      return kind('order', textOf(part, 'text'), isRecord(part) ? part : {});
    default: {
      const what = textOf(message['unsupported'], 'type') ?? type;
      return kind('unsupported', null, { type: what });
    }
  }
}

const kind = (name: ContentKind, body: string | null, fields: Value): Read => ({
  content: { type: 'text', body: body ?? KIND_LABELS[name] },
  extras: { kind: name, content: boundedFields(fields) },
});

function answerOf(part: unknown): Read {
  const type = textOf(part, 'type');
  const reply = memberOf(part, type ?? '');
  const title = textOf(reply, 'title');
  const fields = isRecord(reply) ? reply : {};
  if (type === 'button_reply') return kind('button_answer', title, { id: textOf(reply, 'id'), text: title });
  if (type === 'list_reply') return kind('list_answer', title, fields);
  return kind('interactive', textOf(reply, 'body'), { type, ...fields });
}

function cardsOf(message: Value): Read {
  const cards = recordsIn(message, 'contacts').map((card) => ({
    name: textOf(card['name'], 'formatted_name') ?? '',
    phones: recordsIn(card, 'phones').map((phone) => (textOf(phone, 'wa_id') ?? textOf(phone, 'phone') ?? '').replace(/\D/g, '')),
  }));
  const [first] = cards;
  if (!first) return kind('unsupported', null, { type: 'contacts' });
  const contacts = cards.length > 1 || first.phones.length > 1 ? { extras: { contacts: cards } } : {};
  return { content: { type: 'contact', name: first.name, phone: first.phones[0] ?? '' }, ...contacts };
}

function fileOf(type: 'image' | 'video' | 'audio' | 'document' | 'sticker', part: unknown): Read {
  const id = textOf(part, 'id') ?? '';
  const hex = Buffer.from(textOf(part, 'sha256') ?? '', 'base64').toString('hex');
  const file = {
    contentType: textOf(part, 'mime_type') ?? 'application/octet-stream',
    filename: textOf(part, 'filename'),
    size: 0,
    sha256: hex,
  };
  const animated = type === 'sticker' && memberOf(part, 'animated') === true ? { animated: true as const } : {};
  const content: Content = { type, file, caption: textOf(part, 'caption'), voiceNote: memberOf(part, 'voice') === true, ...animated };
  return { content, file: { id, sha256: hex } };
}
