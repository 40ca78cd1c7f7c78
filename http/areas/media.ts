import Joi from 'joi';
import type { DeviceCommand } from '../../actors/device/protocol.ts';
import { MAX_MEDIA_BYTES, type MediaLibrary } from '../../actors/media/library.ts';
import { refusal } from '../../actors/refusals.ts';
import type { ActorRef } from '../../runtime/actor.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { MessageRow, Messages } from '../../store/messages.ts';
import { takeFile } from '../multipart.ts';
import { pageFrom } from '../paging.ts';
import { type Area, rowsFor, type Upload } from '../row.ts';
import { Done, Ulid } from '../schemas.ts';
import { atMedia, type ListQuery, MediaPaging, MediaSchema, NextMedia, served, toMedia } from './media-schemas.ts';
import { inSession } from './session-schemas.ts';

export interface MediaWorld {
  readonly media: MediaLibrary;
  readonly messages: Pick<Messages, 'find'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

/** The largest file over a slow line of the network's. */
const FETCHED_WITHIN_MS = 60_000;

/** What a form has around its file. */
const FORM_BYTES = 65_536;

const row = rowsFor<MediaWorld>();

export const media: Area<MediaWorld> = {
  name: 'media',
  about:
    'Files for messages, at most 25 MB each. Their type is read from the bytes, not believed, and what a browser would run is served as ' +
    '`application/octet-stream`.',
  rows: [
    row({
      id: 'uploadMedia',
      method: 'POST',
      path: '/v1/media/upload',
      summary: 'Upload a file: the part `file` of a form, or the body itself with its Content-Type; at most 25 MB',
      access: 'bearer',
      scope: 'send',
      bytes: { types: ['multipart/form-data', '*'], maxBytes: MAX_MEDIA_BYTES + FORM_BYTES, stream: true },
      query: Joi.object<{ filename?: string }>({ filename: Joi.string().max(255).description('Name of a file sent as the body') }),
      status: 201,
      returns: MediaSchema,
      async run({ media }, { caller: { tenantId }, body, query, now }) {
        const kept = await takeFile(body as Upload, ({ source, filename }) =>
          media.keep({ tenantId, source, filename: filename ?? query.filename ?? null }, now),
        );
        return toMedia(kept);
      },
    }),
    row({
      id: 'listMedia',
      method: 'GET',
      path: '/v1/media',
      summary: 'Stored files, newest first',
      access: 'bearer',
      agents: false,
      query: Joi.object<ListQuery>(MediaPaging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ media: Joi.array().items(MediaSchema).required(), ...NextMedia }),
      async run({ media }, { caller, query }) {
        const { rows, next } = await pageFrom({ limit: 50, ...query }, (place) => media.list(caller.tenantId, place));
        return { media: rows.map(toMedia), ...next };
      },
    }),
    row({
      id: 'getMedia',
      method: 'GET',
      path: '/v1/media/{key}',
      summary: 'The bytes of a file; with `Accept: application/json` its record',
      access: 'bearer',
      params: atMedia,
      headers: ['accept'],
      status: 200,
      produces: ['*/*', 'application/json'],
      returns: MediaSchema,
      refuses: ['NOT_FOUND'],
      async run({ media }, { caller, params, header }) {
        const found = await media.get(caller.tenantId, params.key);
        if (header('accept')?.startsWith('application/json')) return toMedia(found);
        return served(found, await media.open(found));
      },
    }),
    row({
      id: 'deleteMedia',
      method: 'DELETE',
      path: '/v1/media/{key}',
      summary: 'Remove a file; messages that wait to be sent with it will fail',
      access: 'bearer',
      agents: false,
      params: atMedia,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run({ media }, { caller, params }) {
        await media.remove(caller.tenantId, params.key);
        return { ok: true };
      },
    }),
    row({
      id: 'getMessageMedia',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/media',
      summary:
        'The bytes of the file that a message carries. That of a message from before the device was linked, and one that could not be had when ' +
        'its message came (`error`: `media_not_fetched`), is fetched from the network when it is first asked for, up to 25 MB; if it is gone ' +
        'there, 404, and `error` says `media_gone` from then on',
      access: 'bearer',
      params: inSession.keys({ messageId: Ulid.required() }),
      status: 200,
      produces: ['*/*'],
      returns: Joi.any(),
      refuses: ['NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED', 'UNAVAILABLE'],
      async run(world, { caller, device, params }) {
        const found = await world.messages.find(caller.tenantId, device._id, params.messageId);
        if (!found) throw refusal('NOT_FOUND');
        const file = await world.media.get(caller.tenantId, await keyOfFile(world, device, found));
        return served(file, await world.media.open(file));
      },
    }),
  ],
};

/** One that was left on the network is fetched when it is first asked for. */
async function keyOfFile(world: MediaWorld, device: DeviceRow, { _id: id, media_r2_key, left_file }: MessageRow): Promise<string> {
  if (media_r2_key !== null) return media_r2_key;
  if (!left_file) throw refusal('NOT_FOUND');
  return world.device(device).ask({ type: 'fetchFile', id }, FETCHED_WITHIN_MS);
}
