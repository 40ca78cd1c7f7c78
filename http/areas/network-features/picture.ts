import { Readable } from 'node:stream';
import Joi from 'joi';
import { invalidField, tooLarge } from '../../../actors/domain/refusals.ts';
import { type FileAccess, ownerOf } from '../../../actors/services/media/file-access.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import { MOST_BYTES } from '../../../runtime/cluster/envelope.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { FairSlots } from '../../../runtime/fair-slots.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import { parseJson } from '../../core/body.ts';
import { type SentFile, takeFile } from '../../core/multipart.ts';
import type { Caller, DeviceCall, Upload } from '../../core/row.ts';
import { validator } from '../../core/validate.ts';
import { MediaKey } from '../media/schemas.ts';
import { fileViewer } from '../params.ts';

/** The network shows pictures of 640 × 640; a larger file is no such picture, and would not reach a device on another node. */
const MAX_PICTURE_BYTES = MOST_BYTES;
const FORM_BYTES = 16_384;

const Named = Joi.object({ media_r2_key: MediaKey.required() });
/** A key of an impossible form is an unknown one: NOT_FOUND. */
const named = validator(Joi.object<{ media_r2_key: string }>({ media_r2_key: Joi.string().max(256).required() }), {
  convert: false,
  where: 'body',
});

/** What a row that sets a picture takes: the part `file` of a form, or JSON that names a stored file. */
export const pictureBytes = {
  types: ['multipart/form-data', 'application/json', 'image/*'],
  maxBytes: MAX_PICTURE_BYTES + FORM_BYTES,
  stream: true,
  describedBy: Named,
} as const;

export interface PictureServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'open'>;
  readonly files: Pick<FileAccess, 'use'>;
}

export interface PictureUploadServices extends PictureServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'open' | 'remove'>;
  /** Places for files that callers send at once, by tenant. */
  readonly uploads: FairSlots;
}

export interface GivenPicture {
  readonly key: string;
  readonly base64: string;
}

/**
 * What `show` comes to with the picture that a caller sends or names. One that is sent is stored, too, and goes again where `show` is refused. Refuses
 * VALIDATION_FAILED for what is no picture, NOT_FOUND, PAYLOAD_TOO_LARGE, LIMIT_REACHED, OVERLOADED when too many uploads of the tenant wait.
 */
export async function withPicture<T>(
  services: PictureUploadServices,
  { caller, body: upload, now }: Pick<DeviceCall<unknown, unknown, Upload>, 'caller' | 'body' | 'now'>,
  show: (picture: GivenPicture) => Promise<T>,
): Promise<T> {
  const taken = (): Promise<GivenPicture> => takeFile(upload, (file) => pictureOf(services, caller, upload.type, file, now));
  const picture = await services.uploads.run(caller.tenantId, taken);
  try {
    return await show(picture);
  } catch (cause) {
    // After a timeout the network may show it.
    const isRefused = cause instanceof Refusal && cause.code !== 'DEVICE_TIMEOUT';
    if (isRefused && !isNamed(upload.type)) await services.media.remove(caller.tenantId, picture.key).catch(() => {});
    throw cause;
  }
}

/** It is a stored file already. */
const isNamed = (type: string): boolean => type.startsWith('application/json');

async function pictureOf(
  services: PictureServices,
  caller: Caller,
  type: string,
  { source, filename }: SentFile,
  now: number,
): Promise<GivenPicture> {
  if (isNamed(type)) return storedPicture(services, caller, keyIn(await readAll(source, FORM_BYTES)), 'file');
  const bytes = await readAll(source, MAX_PICTURE_BYTES);
  const base64 = pictureIn(bytes, 'file');
  const owner = ownerOf(fileViewer(caller));
  const { _id: key } = await services.media.keep({ tenantId: caller.tenantId, owner, source: Readable.from([bytes]), filename }, now);
  return { key, base64 };
}

/** The picture behind a media key; `field` named it. Refuses NOT_FOUND, and VALIDATION_FAILED for what is no small picture. */
export async function storedPicture(
  { media, files }: PictureServices,
  caller: Caller,
  key: string,
  field: 'file' | 'picture',
): Promise<GivenPicture> {
  const row = await files.use(fileViewer(caller), key);
  if (row.size > MAX_PICTURE_BYTES) throw invalidField(field, NO_PICTURE);
  return { key, base64: pictureIn(await readAll(await media.open(row), MAX_PICTURE_BYTES), field) };
}

const NO_PICTURE = {
  en: 'a picture is a JPEG, PNG or WebP of at most 750 KB, best a JPEG of 640 × 640',
  id: 'gambar harus berupa JPEG, PNG, atau WebP paling besar 750 KB, sebaiknya JPEG 640 × 640',
};

/** The first bytes of a JPEG, of a PNG, and of a WebP, whose size stands in between. The real network takes JPEG only, and says so. */
const PICTURES = /^(ffd8ff|89504e470d0a1a0a|52494646.{8}57454250)/;

function pictureIn(bytes: Buffer, field: string): string {
  if (!PICTURES.test(bytes.toString('hex', 0, 12))) throw invalidField(field, NO_PICTURE);
  return bytes.toString('base64');
}

function keyIn(body: Buffer): string {
  const sent = named(parseJson(body));
  return isRecord(sent) && typeof sent['media_r2_key'] === 'string' ? sent['media_r2_key'] : '';
}

async function readAll(stream: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
