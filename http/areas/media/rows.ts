import Joi from 'joi';
import type { DeviceCommand } from '../../../actors/device/protocol.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type FileAccess, ownerOf } from '../../../actors/services/media/file-access.ts';
import { MAX_MEDIA_BYTES, type MediaLibrary } from '../../../actors/services/media/library.ts';
import type { PreparedFiles } from '../../../actors/services/media/prepared-files.ts';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { FairSlots } from '../../../runtime/fair-slots.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { takeFile } from '../../core/multipart.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type Call, rowsFor, type Upload } from '../../core/row.ts';
import { Done, Ulid } from '../../core/schemas.ts';
import { messageAt } from '../messages/access.ts';
import { fileViewer, inSession } from '../params.ts';
import { atMedia, type ListQuery, MediaPaging, MediaSchema, NextMedia, served, toMedia } from './schemas.ts';

export interface MediaServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'expectRoom' | 'get' | 'open'> & Pick<PreparedFiles, 'noted'>;
  readonly files: FileAccess;
  readonly uploads: FairSlots;
  readonly messages: Pick<Messages, 'find'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

const FETCHED_WITHIN_MS = 60_000;

const FORM_BYTES = 65_536;

const row = rowsFor<MediaServices>();

export const media: Area<MediaServices> = {
  name: 'media',
  about:
    'Files for messages, at most 25 MB each. The file type is detected from the bytes. Types that a browser would execute are served as ' +
    '`application/octet-stream`.',
  rows: [
    row({
      id: 'uploadMedia',
      method: 'POST',
      path: '/v1/media/upload',
      summary: 'Upload a file',
      about: 'Upload a file of at most 25 MB: as the part `file` of a form, or as the body with its Content-Type',
      audit: { none: 'an upload changes no existing record' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'send',
      bytes: { types: ['multipart/form-data', '*'], maxBytes: MAX_MEDIA_BYTES + FORM_BYTES, stream: true },
      query: Joi.object<{ filename?: string }>({
        filename: Joi.string().max(255).description('The name of a file that is sent as the body'),
      }),
      status: 201,
      returns: MediaSchema,
      refuses: ['LIMIT_REACHED', 'OVERLOADED'],
      async run({ media, uploads }, { caller, body, query, now }: Call<unknown, { filename?: string }, Upload>) {
        const uploaded = { tenantId: caller.tenantId, owner: ownerOf(fileViewer(caller)) };
        const kept = (): Promise<MediaRow> =>
          takeFile(body, ({ source, filename }) => media.keep({ ...uploaded, source, filename: filename ?? query.filename ?? null }, now));
        return toMedia(await media.noted(await uploads.run(caller.tenantId, kept)));
      },
    }),
    row({
      id: 'listMedia',
      method: 'GET',
      path: '/v1/media',
      summary: 'List stored files',
      about: 'List stored files, newest first',
      access: 'bearer',
      deviceKeys: true,
      query: Joi.object<ListQuery>(MediaPaging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ media: Joi.array().items(MediaSchema).required(), ...NextMedia }),
      async run({ files }, { caller, query }) {
        const { entries, next } = await pageFrom(
          caller.tenantId,
          { limit: 50, ...query },
          {
            list: (page) => files.list(fileViewer(caller), page),
            show: toMedia,
          },
        );
        return { media: entries, ...next };
      },
    }),
    row({
      id: 'getMedia',
      method: 'GET',
      path: '/v1/media/{key}',
      summary: 'Download a file',
      about: 'Download a file. With `Accept: application/json`, get its record instead',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: atMedia,
      headers: ['accept'],
      status: 200,
      produces: ['*/*', 'application/json'],
      stepUp: { none: 'one file of a chat, as the chat shows it' },
      returns: MediaSchema,
      refuses: ['NOT_FOUND'],
      async run({ media, files }, { caller, params, header }) {
        const found = await files.get(fileViewer(caller), params.key);
        if (header('accept')?.startsWith('application/json')) return toMedia(found);
        return served(found, await media.open(found));
      },
    }),
    row({
      id: 'deleteMedia',
      method: 'DELETE',
      path: '/v1/media/{key}',
      summary: 'Delete a file',
      about: 'Delete a file. Messages that are waiting to be sent with it will fail',
      audit: { action: 'media.delete', on: 'media' },
      stepUp: { none: 'one file; messages stay' },
      access: 'bearer',
      deviceKeys: true,
      params: atMedia,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run({ files }, { caller, params }) {
        await files.remove(fileViewer(caller), params.key);
        return { ok: true };
      },
    }),
    row({
      id: 'getMessageMedia',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/media',
      summary: "Download a message's file",
      about:
        'Download the file of a message. A file of an imported message, or a file that could not be fetched or stored when ' +
        'the message arrived (`error`: `media_not_fetched`), is fetched from the network on first use, up to 25 MB. If the network no longer has it, the response is ' +
        '404, and `error` is `media_gone` from then on. If the download does not start within 15 seconds, for example while the phone uploads the file again, the response is ' +
        '504. Fetching continues: try again after a minute',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession.keys({ messageId: Ulid.required() }),
      status: 200,
      produces: ['*/*'],
      stepUp: { none: 'one file of a chat, as the chat shows it' },
      returns: Joi.any(),
      refuses: ['NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED', 'UNAVAILABLE', 'LIMIT_REACHED'],
      async run(services, { caller, device, params }) {
        const found = await messageAt(services, { device, params });
        const file = await services.media.get(caller.tenantId, await keyOfFile(services, device, found));
        return served(file, await services.media.open(file));
      },
    }),
  ],
};

/** Downloads the file on first access if only the network has it. */
async function keyOfFile(
  services: MediaServices,
  device: DeviceRow,
  { _id: id, media_r2_key, deferred_media }: MessageRow,
): Promise<string> {
  if (media_r2_key !== null) return media_r2_key;
  if (!deferred_media) throw refusal('NOT_FOUND');
  return services.device(device).ask({ type: 'fetchFile', id }, FETCHED_WITHIN_MS);
}
