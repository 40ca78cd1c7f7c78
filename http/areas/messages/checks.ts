import type { Fault } from '../../../actors/domain/refusals.ts';
import { CAPTIONED, isMediaType } from '../../../actors/services/media/types.ts';
import { entriesOf } from '../../../runtime/keys-of.ts';
import type { MessageType } from '../../../store/messaging/messages.ts';
import { faultIfPast } from '../../core/times.ts';
import { interactiveFaults } from './interactive.ts';
import type { SendBody } from './schemas.ts';

export const faultsOfSend = (body: Partial<SendBody>, now: number): readonly Fault[] => [...missingIn(body), ...overdueIn(body, now)];

export const overdueIn = ({ expires_at }: Partial<SendBody>, now: number): readonly Fault[] => faultIfPast('expires_at', expires_at, now);

export const missingIn = (body: Partial<SendBody>): readonly Fault[] => [...addresseeFaults(body), ...missingContent(body)];

export function addresseeFaults({ chat_id, recipient }: Pick<Partial<SendBody>, 'chat_id' | 'recipient'>): readonly Fault[] {
  if (recipient === undefined) return chat_id === undefined ? [NOBODY_NAMED] : [];
  if (chat_id !== undefined) return [TWO_NAMED];
  if ('lid' in recipient === 'username' in recipient) return [ONE_OF_BOTH];
  return 'lid' in recipient && 'key' in recipient ? [NOT_PROTECTED] : [];
}

const ONE_OF_BOTH: Fault = {
  path: 'recipient',
  en: 'recipient needs either lid or username',
  id: 'recipient memerlukan salah satu dari lid dan username',
};
const NOT_PROTECTED: Fault = {
  path: 'recipient.key',
  en: 'recipient.key can be sent only with recipient.username',
  id: 'recipient.key hanya dapat dikirim bersama recipient.username',
};
const NOBODY_NAMED: Fault = { path: 'chat_id', en: 'chat_id is required', id: 'chat_id wajib diisi' };
const TWO_NAMED: Fault = {
  path: 'recipient',
  en: 'recipient and chat_id cannot be sent together; send only one of them',
  id: 'recipient dan chat_id tidak dapat dikirim bersamaan; kirim salah satu saja',
};

function missingContent({ type, ...body }: Partial<SendBody>): readonly Fault[] {
  if (body.variables !== undefined && body.template_id === undefined) return [OF_TEMPLATES];
  const faults = interactiveFaults({ ...body, ...(type && { type }) });
  if (faults.length > 0) return faults;
  if (type === undefined || body.template_id !== undefined || (body.interactive !== undefined && type === 'text')) return [];
  if (isMediaType(type)) return body.media_r2_key === undefined && body.url === undefined ? [FILE_NEEDED] : [];
  return (NEEDED[type] ?? []).filter((field) => body[field] === undefined).map((field) => required(field, type));
}

const OF_TEMPLATES: Fault = {
  path: 'variables',
  en: 'variables are only for official templates: template_id is required',
  id: 'variables hanya untuk templat resmi: template_id wajib diisi',
};

type Field = keyof Omit<SendBody, 'type'>;

const NEEDED: Readonly<Partial<Record<MessageType, readonly Field[]>>> = {
  text: ['body'],
  location: ['location'],
  poll: ['poll_name', 'choices'],
  contact: ['contact'],
};

const required = (field: string, type: string): Fault => ({
  path: field,
  en: `${field} is required for type ${type}`,
  id: `${field} wajib diisi untuk tipe ${type}`,
});

const FILE_NEEDED: Fault = {
  path: 'media_r2_key',
  en: 'media_r2_key or url is required for this type',
  id: 'media_r2_key atau url wajib diisi untuk tipe ini',
};

const MEANT_FOR: Readonly<Partial<Record<Field, readonly MessageType[]>>> = {
  body: ['text'],
  media_r2_key: ['image', 'document', 'audio', 'video', 'sticker'],
  url: ['image', 'document', 'audio', 'video', 'sticker'],
  filename: ['image', 'document', 'audio', 'video', 'sticker'],
  caption: CAPTIONED,
  voice_note: ['audio'],
  convert: ['audio'],
  gif: ['video'],
  round: ['video'],
  view_once: ['image', 'video', 'audio'],
  hd: ['image'],
  sticker: ['sticker'],
  location: ['location'],
  poll_name: ['poll'],
  choices: ['poll'],
  contact: ['contact'],
  link_preview: ['text'],
};

const NOT_IN_A_CIRCLE: readonly Field[] = ['gif', 'view_once'];

function isMeant(body: SendBody, field: Field): boolean {
  if (MEANT_FOR[field]?.includes(body.type) === false) return false;
  return !(body.type === 'video' && body.round && NOT_IN_A_CIRCLE.includes(field));
}

export const ignoredIn = (body: SendBody): readonly Field[] =>
  entriesOf(MEANT_FOR).flatMap(([field]) => (body[field] !== undefined && !isMeant(body, field) ? [field] : []));
