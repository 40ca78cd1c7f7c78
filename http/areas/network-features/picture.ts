import { Readable } from 'node:stream';
import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type FileAccess, ownerOf } from '../../../actors/services/media/file-access.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import type { Refusal } from '../../../runtime/errors.ts';
import { takeFile } from '../../core/multipart.ts';
import type { Caller, Upload } from '../../core/row.ts';
import { MediaKey } from '../media/schemas.ts';
import { fileViewer } from '../params.ts';

/** The network shows pictures of 640 × 640; a larger file is no such picture. */
const MAX_PICTURE_BYTES = 1_048_576;
const FORM_BYTES = 16_384;

/** What a row that sets a picture takes: the part `file` of a form, or JSON that names a stored file. */
export const pictureBytes = {
  types: ['multipart/form-data', 'application/json'],
  maxBytes: MAX_PICTURE_BYTES + FORM_BYTES,
  stream: true,
  describedBy: Joi.object({ media_r2_key: MediaKey.required() }),
} as const;

export interface PictureServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'open'>;
  readonly files: Pick<FileAccess, 'get'>;
}

export interface GivenPicture {
  readonly key: string;
  /** Base64. */
  readonly jpeg: string;
}

const NO_JPEG = {
  en: 'a picture is a JPEG of at most 1 MB, best 640 × 640',
  id: 'gambar harus berupa JPEG paling besar 1 MB, sebaiknya 640 × 640',
};
const NO_KEY = { en: 'media_r2_key is the key of a stored file', id: 'media_r2_key adalah kunci berkas yang tersimpan' };

/**
 * The picture that a caller sends or names; one that is sent is stored, too. Refuses VALIDATION_FAILED for anything but a JPEG, NOT_FOUND,
 * PAYLOAD_TOO_LARGE, LIMIT_REACHED.
 */
export async function pictureOf({ media, files }: PictureServices, caller: Caller, body: Upload, now: number): Promise<GivenPicture> {
  const viewer = fileViewer(caller);
  if (!body.type.startsWith('multipart/')) {
    const row = await files.get(viewer, await keyIn(body));
    if (row.size > MAX_PICTURE_BYTES) throw noPicture();
    return { key: row._id, jpeg: jpegOf(await readAll(await media.open(row), MAX_PICTURE_BYTES)) };
  }
  return takeFile(body, async ({ source, filename }) => {
    const bytes = await readAll(source, MAX_PICTURE_BYTES);
    const jpeg = jpegOf(bytes);
    const { _id: key } = await media.keep(
      { tenantId: caller.tenantId, owner: ownerOf(viewer), source: Readable.from([bytes]), filename },
      now,
    );
    return { key, jpeg };
  });
}

const noPicture = (): Refusal => refusal('VALIDATION_FAILED', { field: 'file', reason: NO_JPEG });

/** The first bytes of a JPEG. */
const JPEG = Buffer.from('ffd8ff', 'hex');

function jpegOf(bytes: Buffer): string {
  if (!bytes.subarray(0, JPEG.length).equals(JPEG)) throw noPicture();
  return bytes.toString('base64');
}

async function keyIn({ stream }: Upload): Promise<string> {
  const text = await readAll(stream, FORM_BYTES);
  const key = keyOf(text.toString());
  if (key === null) throw refusal('VALIDATION_FAILED', { field: 'media_r2_key', reason: NO_KEY });
  return key;
}

function keyOf(text: string): string | null {
  try {
    const sent: unknown = JSON.parse(text);
    const key =
      typeof sent === 'object' && sent !== null && Object.keys(sent).length === 1 && 'media_r2_key' in sent ? sent.media_r2_key : null;
    return typeof key === 'string' ? key : null;
  } catch {
    return null;
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most) throw noPicture();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
