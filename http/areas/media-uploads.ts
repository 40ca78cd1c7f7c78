import Joi from 'joi';
import type { DirectFiles } from '../../actors/media/direct.ts';
import { MAX_MEDIA_BYTES, newMediaKey } from '../../actors/media/library.ts';
import { UPLOAD_LINK_MS, type UploadLinks } from '../../actors/media/upload-links.ts';
import { takeFile } from '../multipart.ts';
import { type Area, rowsFor, type Upload } from '../row.ts';
import { Timestamp } from '../schemas.ts';
import type { MediaWorld } from './media.ts';
import { MediaKey, MediaSchema, toMedia } from './media-schemas.ts';

export interface MediaUploadsWorld extends Pick<MediaWorld, 'media'> {
  readonly uploadLinks: UploadLinks;
  /** null: files come through us. */
  readonly directFiles: DirectFiles | null;
  /** The public address of the gateway, without a slash at its end. */
  address(): string;
}

interface LinkBody {
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
}

const row = rowsFor<MediaUploadsWorld>();

/** Uploads by whoever holds an address (api.md "Media"): a browser that must not hold a key of the tenant. */
export const mediaUploads: Area<MediaUploadsWorld> = {
  name: 'media uploads',
  about: 'Addresses that take one file each, without credentials',
  rows: [
    row({
      id: 'createUploadUrl',
      method: 'POST',
      path: '/v1/media/upload-url',
      summary:
        'An address to PUT one file to within 15 minutes; its key is known from now on, the file from then on. Where files lie in a bucket it is ' +
        "the bucket's own, and the file is listed once its key was used or the address has expired",
      access: 'bearer',
      scope: 'send',
      body: Joi.object<LinkBody>({
        filename: Joi.string().min(1).max(255).required().example('menu.jpg'),
        content_type: Joi.string()
          .max(255)
          .required()
          .description('For your own record: the type is read from the bytes')
          .example('image/jpeg'),
        size: Joi.number()
          .integer()
          .min(1)
          .max(MAX_MEDIA_BYTES)
          .required()
          .unit('bytes')
          .description('The file may not be larger; where files lie in a bucket it must have exactly this size'),
      }),
      status: 201,
      returns: Joi.object({ key: MediaKey.required(), url: Joi.string().required(), expires_at: Timestamp.required() }),
      async run({ uploadLinks, directFiles, address }, { caller: { tenantId }, body: { filename, size }, now }) {
        const key = newMediaKey(now);
        if (directFiles) {
          const { url, expiresAt } = await directFiles.promise({ tenantId, key, filename, size }, now);
          return { key, url, expires_at: expiresAt };
        }
        const expiresAt = now + UPLOAD_LINK_MS;
        const token = uploadLinks.sign({ tenantId, key, filename, size, expiresAt });
        return { key, url: `${address()}/v1/media/uploads/${token}`, expires_at: expiresAt };
      },
    }),
    row({
      id: 'putUpload',
      method: 'PUT',
      path: '/v1/media/uploads/{token}',
      summary: 'Take the file of an upload address, once',
      access: 'none',
      params: Joi.object<{ token: string }, true>({ token: Joi.string().max(4_096).required() }),
      bytes: { types: ['*'], maxBytes: MAX_MEDIA_BYTES, stream: true },
      status: 201,
      returns: MediaSchema,
      refuses: ['FORBIDDEN', 'CONFLICT'],
      async run({ media, uploadLinks }, { params, body, now }) {
        const { tenantId, key, filename, size } = uploadLinks.read(params.token, now);
        const { stream } = body as Upload;
        // The bytes are the body, whatever its type says.
        const kept = await takeFile({ stream, type: '' }, ({ source }) =>
          media.keep({ tenantId, key, source, filename, maxBytes: size }, now),
        );
        return toMedia(kept);
      },
    }),
  ],
};
