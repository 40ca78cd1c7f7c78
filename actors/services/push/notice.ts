import type { EventRow } from '../../../store/events/events.ts';

type Lang = 'en' | 'id';

/** A notification. A newer one with the same `tag` replaces it. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly session_id: string | null;
  readonly chat_id: string | null;
}

const LONGEST_PREVIEW = 140;

const PREVIEWS: Readonly<Record<string, Readonly<Record<Lang, string>>>> = {
  image: { en: 'Photo', id: 'Foto' },
  video: { en: 'Video', id: 'Video' },
  audio: { en: 'Voice message', id: 'Pesan suara' },
  document: { en: 'Document', id: 'Dokumen' },
  sticker: { en: 'Sticker', id: 'Stiker' },
  location: { en: 'Location', id: 'Lokasi' },
  contact: { en: 'Contact', id: 'Kontak' },
  poll: { en: 'Poll', id: 'Polling' },
};
const OTHER = { en: 'New message', id: 'Pesan baru' } as const;
const SOMEBODY = { en: 'A customer', id: 'Pelanggan' } as const;
const TEST = {
  en: { title: 'Notifications work', body: 'This browser will tell you when a customer writes.' },
  id: { title: 'Notifikasi berfungsi', body: 'Peramban ini akan memberi tahu saat pelanggan mengirim pesan.' },
} as const;

export function noticeOf({ type, session_id, data }: EventRow, lang: Lang): Notice | null {
  const chat_id = text(data['chat_id']);
  if (type !== 'message.received' || chat_id === null || !isPerson(chat_id)) return null;
  const phone = text(data['phone']);
  const title = senderName(data['sender']) ?? (phone === null ? SOMEBODY[lang] : `+${phone}`);
  const body = text(data['body']) ?? (PREVIEWS[String(data['message_type'])] ?? OTHER)[lang];
  return { title, body: shortened(body), tag: `${session_id}:${chat_id}`, session_id, chat_id };
}

export const testNotice = (lang: Lang): Notice => ({ ...TEST[lang], tag: 'test', session_id: null, chat_id: null });

const isPerson = (chatId: string): boolean => /@(s\.whatsapp\.net|lid)$/.test(chatId);
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function senderName(sender: unknown): string | null {
  return typeof sender === 'object' && sender !== null && 'name' in sender ? text(sender.name) : null;
}

function shortened(body: string): string {
  const characters = [...body.slice(0, LONGEST_PREVIEW * 2)];
  return characters.length <= LONGEST_PREVIEW ? characters.join('') : `${characters.slice(0, LONGEST_PREVIEW).join('')}…`;
}
