import Joi from 'joi';
import type { DirectFiles } from '../../../actors/services/media/direct-upload.ts';
import { ownerOf } from '../../../actors/services/media/file-access.ts';
import { MAX_MEDIA_BYTES, newMediaKey } from '../../../actors/services/media/library.ts';
import { UPLOAD_LINK_MS, type UploadLinks } from '../../../actors/services/media/upload-links.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import { takeFile } from '../../core/multipart.ts';
import { type Area, type OpenCall, rowsFor, type Upload } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';
import { fileViewer } from '../params.ts';
import type { MediaServices } from './rows.ts';
import { MediaKey, MediaSchema, toMedia } from './schemas.ts';

export interface MediaUploadsServices extends Pick<MediaServices, 'media' | 'uploads'> {
  readonly uploadLinks: UploadLinks;
  /** Null if uploads pass through the gateway. */
  readonly directFiles: DirectFiles | null;
  address(): string;
}

interface LinkBody {
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
}

const row = rowsFor<MediaUploadsServices>();

/** Uploads to an upload URL, for example from a browser without the tenant's API key. */
export const mediaUploads: Area<MediaUploadsServices> = {
  name: 'media uploads',
  about: 'Upload addresses that accept one file each, without credentials',
  rows: [
    row({
      id: 'createUploadUrl',
      method: 'POST',
      path: '/v1/media/upload-url',
      summary: 'Create an upload address',
      about:
        'Create an address that accepts one file (PUT) within 15 minutes. The response has the key of the file, which you can use after the upload. With a bucket, this is ' +
        "the bucket's own address, and the file is listed once its key is used or the address has expired",
      audit: { none: 'an upload changes no existing record' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'send',
      body: Joi.object<LinkBody>({
        filename: Joi.string().min(1).max(255).required().example('menu.jpg'),
        content_type: Joi.string()
          .max(255)
          .required()
          .description('Informational: the type is detected from the bytes')
          .example('image/jpeg'),
        size: Joi.number()
          .integer()
          .min(1)
          .max(MAX_MEDIA_BYTES)
          .required()
          .unit('bytes')
          .description('The maximum size; with a bucket, the exact size'),
      }),
      status: 201,
      returns: Joi.object({ key: MediaKey.required(), url: Joi.string().required(), expires_at: Timestamp.required() }),
      refuses: ['LIMIT_REACHED', 'OVERLOADED'],
      async run({ media, uploadLinks, directFiles, address }, { caller, body: { filename, size }, now }) {
        const { tenantId } = caller;
        const owner = ownerOf(fileViewer(caller));
        const key = newMediaKey(now);
        if (directFiles) {
          const { url, expiresAt } = await directFiles.promise({ tenantId, key, filename, size, owner }, now);
          return { key, url, expires_at: expiresAt };
        }
        await media.expectRoom(tenantId, size);
        const expiresAt = now + UPLOAD_LINK_MS;
        const token = await uploadLinks.open({ tenantId, key, filename, size, owner, expiresAt });
        return { key, url: `${address()}/v1/media/uploads/${token}`, expires_at: expiresAt };
      },
    }),
    row({
      id: 'putUpload',
      method: 'PUT',
      path: '/v1/media/uploads/{token}',
      summary: 'Upload to an address',
      about: 'Upload the file. An upload address works once',
      audit: { none: 'an upload changes no existing record' },
      access: 'none',
      params: Joi.object<{ token: string }, true>({ token: Joi.string().max(8_192).required() }),
      bytes: { types: ['*'], maxBytes: MAX_MEDIA_BYTES, stream: true },
      status: 201,
      returns: MediaSchema,
      refuses: ['FORBIDDEN', 'CONFLICT', 'LIMIT_REACHED', 'OVERLOADED'],
      async run(
        { media, uploadLinks, uploads },
        { params, body: { stream, maxBytes }, now }: OpenCall<{ token: string }, unknown, Upload>,
      ) {
        const { tenantId, key, filename, size, owner } = await uploadLinks.read(params.token, now);
        const kept = (): Promise<MediaRow> =>
          takeFile({ stream, type: '', maxBytes }, ({ source }) =>
            media.keep({ tenantId, key, source, filename, owner, maxBytes: size }, now),
          );
        return toMedia(await uploads.run(tenantId, kept));
      },
    }),
  ],
};
