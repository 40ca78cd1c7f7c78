import type { Readable } from 'node:stream';
import Joi from 'joi';
import type { FileNotes } from '../../../store/media/derived-files.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import { Raw } from '../../core/row.ts';
import { Before, beforeId, FileNotesFields, Timestamp } from '../../core/schemas.ts';

export interface MediaRecord {
  readonly key: string;
  readonly size: number;
  readonly content_type: string;
  readonly filename: string | null;
  readonly sha256: string;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  readonly created_at: number;
}

export function toMedia({ _id: key, size, content_type, filename, sha256, notes, created_at }: MediaRow): MediaRecord {
  return { key, size, content_type, filename, sha256, ...saidOf(notes), created_at };
}

const saidOf = ({ seconds, width, height, pages }: FileNotes = {}): Pick<MediaRecord, 'seconds' | 'width' | 'height' | 'pages'> => ({
  ...(seconds !== undefined && { seconds }),
  ...(width !== undefined && { width }),
  ...(height !== undefined && { height }),
  ...(pages !== undefined && { pages }),
});

export const MediaKey = Joi.string()
  .pattern(/^med_[0-9A-HJKMNP-TV-Z]{26}$/)
  .example('med_01JZX5ZB4T8QKX3N9V7C2M6D1E');

/** A malformed key is treated as an unknown key. */
export const atMedia = Joi.object<{ key: string }, true>({ key: Joi.string().max(256).required().description('Key of a file') });

export const MediaSchema = Joi.object<MediaRecord, true>({
  key: MediaKey.required().description('Use it as `media_r2_key` of a message'),
  size: Joi.number().integer().min(1).required().unit('bytes').example(48_213),
  content_type: Joi.string().required().description('Detected from the bytes').example('image/jpeg'),
  filename: Joi.string().allow(null).required().example('menu.jpg'),
  sha256: Joi.string().hex().length(64).required().description('SHA-256 of the bytes'),
  ...FileNotesFields,
  created_at: Timestamp.required(),
}).meta({ title: 'Media' });

export interface ListQuery {
  limit?: number;
  before?: number;
  before_id?: string;
}

export const MediaPaging = {
  limit: Joi.number().integer().min(1).max(200).meta({ default: 50 }).description('Records per page'),
  before: Before,
  before_id: beforeId(MediaKey),
};

export const NextMedia = { next_before: Timestamp.allow(null).required(), next_before_id: MediaKey.allow(null).required() };

/** Browsers save the file, whatever its type, and never render it as a page of the gateway. */
export function served({ content_type, filename, size }: MediaRow, bytes: Readable): Raw {
  const name = filename === null ? '' : `; filename*=UTF-8''${encoded(filename)}`;
  return new Raw(bytes, content_type, 200, {
    'content-length': String(size),
    'content-disposition': `attachment${name}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'private, no-store',
  });
}

/** Escapes the characters that encodeURIComponent leaves as they are but RFC 8187 forbids. */
const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
