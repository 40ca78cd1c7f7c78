import { buffer } from 'node:stream/consumers';
import { invalidField } from '../../../actors/domain/refusals.ts';
import type { FileAccess } from '../../../actors/services/media/file-access.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import type { Caller } from '../../core/row.ts';
import { fileViewer } from '../params.ts';

export interface PictureServices {
  readonly media: Pick<MediaLibrary, 'open'>;
  readonly files: Pick<FileAccess, 'use'>;
}

const MAX_BYTES = 1_048_576;

/** The picture behind a media key as base64; null: none was given. Refuses NOT_FOUND, and VALIDATION_FAILED for what is no small JPEG. */
export async function pictureOf({ media, files }: PictureServices, caller: Caller, key: string | undefined): Promise<string | null> {
  if (key === undefined) return null;
  const file = await files.use(fileViewer(caller), key);
  if (file.content_type !== 'image/jpeg' || file.size > MAX_BYTES) throw invalidField('picture', NO_PICTURE);
  const bytes = await buffer(await media.open(file));
  return bytes.toString('base64');
}

const NO_PICTURE = { en: 'picture must be a JPEG of at most 1 MiB', id: 'picture harus berupa JPEG berukuran paling besar 1 MiB' };
