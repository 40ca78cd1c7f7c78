import type { Schemas } from '../../../http/openapi/client/gateway.generated.ts';

/** Converts messages between the two sides. These functions are pure. */

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

/** Chatwoot stores Markdown, in which a backslash precedes a line break. */
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

/** Chatwoot allows lower-case letters, digits, `-` and `_`. Returns '' if no such characters remain. */
export const labelFor = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^-+|-+$/g, '');

/** Returns both forms of Brazil's mobile numbers, with and without a ninth digit. */
export function spellingsOf(digits: string): readonly string[] {
  const brazil = /^55(\d{2})(9?)(\d{8})$/.exec(digits);
  if (!brazil) return [digits];
  const [, area = '', nine, rest = ''] = brazil;
  return [digits, nine ? `55${area}${rest}` : `55${area}9${rest}`];
}

const ORDER = ['sent', 'delivered', 'read'];

/** Returns `failed` if a part failed, otherwise the lowest status; null while a part has no status. */
export function statusOfParts(parts: readonly (string | null)[]): string | null {
  if (parts.includes('failed')) return 'failed';
  const ranks = parts.map((status) => ORDER.indexOf(status ?? ''));
  return ORDER[Math.min(...ranks)] ?? null;
}

export const isLater = (known: string | null, next: string): boolean =>
  known !== 'failed' && (next === 'failed' || ORDER.indexOf(next) > ORDER.indexOf(known ?? ''));
