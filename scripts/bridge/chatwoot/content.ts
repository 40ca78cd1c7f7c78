import type { Schemas } from '../../../http/openapi/client/gateway.generated.ts';

/** Converts messages between the two sides. Pure. */

type Message = Schemas['Message'];

const FILES: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'document', 'sticker']);

export const hasFile = ({ message_type, deleted_at }: Message): boolean => FILES.has(message_type) && deleted_at === undefined;

export function textFor(message: Message): string {
  const { message_type, body, location, contact, poll, deleted_at, kind } = message;
  if (deleted_at !== undefined) return '_This message was deleted._';
  if (FILES.has(message_type)) return body ?? '';
  if (location) return [`📍 https://www.google.com/maps?q=${location.lat},${location.lng}`, body].filter(Boolean).join('\n');
  if (contact) return `👤 ${contact.name} ${contact.phone}`;
  if (poll) return [`📊 ${poll.name}`, ...poll.choices.map((choice) => `- ${choice}`)].join('\n');
  return body || `_A message of the kind "${kind ?? message_type}". Read it on the phone._`;
}

/** An agent's text as a person gets it. Chatwoot stores Markdown, in which a line break has a backslash before it. */
export function textFrom(content: string, agent: string | null): string {
  const text = content
    .replaceAll('\\\n', '\n')
    .replace(/\*\*(.+?)\*\*/g, '*$1*')
    .replace(/~~(.+?)~~/g, '~$1~')
    .trim();
  const name = agent?.replace(/[*\n]/g, '').trim();
  return name && text !== '' ? `*${name}:*\n${text}` : text;
}

export function kindOfFile(type: string): 'image' | 'video' | 'audio' | 'document' {
  return type === 'image' || type === 'video' || type === 'audio' ? type : 'document';
}

/** A label as Chatwoot allows it: lower case, digits, `-` and `_`. Empty when nothing is left. */
export const labelFor = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^-+|-+$/g, '');

/** The spellings under which a number may be known: Brazil's mobile numbers have a ninth digit, or not yet. */
export function spellingsOf(digits: string): readonly string[] {
  const brazil = /^55(\d{2})(9?)(\d{8})$/.exec(digits);
  if (!brazil) return [digits];
  const [, area = '', nine, rest = ''] = brazil;
  return [digits, nine ? `55${area}${rest}` : `55${area}9${rest}`];
}

const ORDER = ['sent', 'delivered', 'read'];

/** The status of an agent's message of several parts: that of the slowest part, `failed` if one failed; null while a part has none. */
export function statusOfParts(parts: readonly (string | null)[]): string | null {
  if (parts.includes('failed')) return 'failed';
  const ranks = parts.map((status) => ORDER.indexOf(status ?? ''));
  return ORDER[Math.min(...ranks)] ?? null;
}

/** Whether a part that has `known` may become `next`: a status only moves forward. */
export const isLater = (known: string | null, next: string): boolean =>
  known !== 'failed' && (next === 'failed' || ORDER.indexOf(next) > ORDER.indexOf(known ?? ''));
