import Joi from 'joi';
import { tooLarge } from '../../../actors/domain/refusals.ts';
import { type FileAccess, ownerOf } from '../../../actors/services/media/file-access.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import { MAX_AVATAR_BYTES, type PreparedFiles } from '../../../actors/services/media/prepared-files.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { FairSlots } from '../../../runtime/fair-slots.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import { parseJson } from '../../core/body.ts';
import { type SentFile, takeFile } from '../../core/multipart.ts';
import type { Caller, DeviceCall, Upload } from '../../core/row.ts';
import { validator } from '../../core/validate.ts';
import { MediaKey } from '../media/schemas.ts';
import { fileViewer } from '../params.ts';

const FORM_BYTES = 16_384;

const Named = Joi.object({ media_r2_key: MediaKey.required() });
/** A malformed key fails with NOT_FOUND, like an unknown key. */
const named = validator(Joi.object<{ media_r2_key: string }>({ media_r2_key: Joi.string().max(256).required() }), {
  convert: false,
  where: 'body',
});

export const pictureBytes = {
  types: ['multipart/form-data', 'application/json', 'image/*'],
  maxBytes: MAX_AVATAR_BYTES + FORM_BYTES,
  stream: true,
  describedBy: Named,
} as const;

export interface PictureServices {
  readonly media: Pick<MediaLibrary, 'keep'> & Pick<PreparedFiles, 'avatar'>;
  readonly files: Pick<FileAccess, 'use'>;
}

export interface PictureUploadServices extends PictureServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'remove'> & Pick<PreparedFiles, 'avatar'>;
  readonly uploads: FairSlots;
}

export interface GivenPicture {
  readonly key: string;
  readonly base64: string;
}

/** Removes an uploaded picture if `show` is refused; fails with VALIDATION_FAILED if it is unusable. */
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
    // After a timeout, the network may still display the picture.
    const isRefused = cause instanceof Refusal && cause.code !== 'DEVICE_TIMEOUT';
    if (isRefused && !isNamed(upload.type)) await services.media.remove(caller.tenantId, picture.key).catch(() => {});
    throw cause;
  }
}

const isNamed = (type: string): boolean => type.startsWith('application/json');

async function pictureOf(
  services: PictureUploadServices,
  caller: Caller,
  type: string,
  { source, filename }: SentFile,
  now: number,
): Promise<GivenPicture> {
  if (isNamed(type)) return storedPicture(services, caller, keyIn(await readAll(source, FORM_BYTES)), 'file');
  const { tenantId } = caller;
  const row = await services.media.keep(
    { tenantId, owner: ownerOf(fileViewer(caller)), source, filename, maxBytes: MAX_AVATAR_BYTES },
    now,
  );
  try {
    return await scaled(services, row, 'file');
  } catch (cause) {
    if (cause instanceof Refusal) await services.media.remove(tenantId, row._id).catch(() => {});
    throw cause;
  }
}

export async function storedPicture(
  services: PictureServices,
  caller: Caller,
  key: string,
  field: 'file' | 'picture',
): Promise<GivenPicture> {
  return scaled(services, await services.files.use(fileViewer(caller), key), field);
}

const scaled = async ({ media }: PictureServices, row: MediaRow, field: string): Promise<GivenPicture> => ({
  key: row._id,
  base64: (await media.avatar(row, field)).toString('base64'),
});

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
