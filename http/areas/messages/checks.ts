import type { Fault } from '../../../actors/domain/refusals.ts';
import { CAPTIONED, isMediaType } from '../../../actors/services/media/types.ts';
import { entriesOf } from '../../../runtime/keys-of.ts';
import type { MessageType } from '../../../store/messaging/messages.ts';
import { faultIfPast } from '../../core/times.ts';
import type { SendBody } from './schemas.ts';

/** Faults of a send beyond the form of its fields: missing fields of its type, and an `expires_at` in the past. */
export const faultsOfSend = (body: Partial<SendBody>, now: number): readonly Fault[] => [...missingIn(body), ...overdueIn(body, now)];

/** An `expires_at` in the past. */
export const overdueIn = ({ expires_at }: Partial<SendBody>, now: number): readonly Fault[] => faultIfPast('expires_at', expires_at, now);

/** The type-to-field rule of SendMessageRequest. A template brings what its type needs. */
export function missingIn({ type, ...body }: Partial<SendBody>): readonly Fault[] {
  if (type === undefined || body.template_id !== undefined) return [];
  if (isMediaType(type)) return body.media_r2_key === undefined && body.url === undefined ? [FILE_NEEDED] : [];
  return (NEEDED[type] ?? []).filter((field) => body[field] === undefined).map((field) => required(field, type));
}

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

/** Fields that only some types have a use for. */
const MEANT_FOR: Readonly<Partial<Record<Field, readonly MessageType[]>>> = {
  body: ['text'],
  media_r2_key: ['image', 'document', 'audio', 'video', 'sticker'],
  url: ['image', 'document', 'audio', 'video', 'sticker'],
  filename: ['image', 'document', 'audio', 'video', 'sticker'],
  caption: CAPTIONED,
  voice_note: ['audio'],
  convert: ['audio'],
  location: ['location'],
  poll_name: ['poll'],
  choices: ['poll'],
  contact: ['contact'],
  link_preview: ['text'],
};

/** The fields that are given and have no meaning for the type. Those that a template takes the place of are not asked about. */
export const ignoredIn = (body: SendBody): readonly string[] =>
  entriesOf(MEANT_FOR).flatMap(([field, types]) => (body[field] !== undefined && !types?.includes(body.type) ? [field] : []));
