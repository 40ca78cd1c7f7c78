import Joi from 'joi';
import { type Fault, faultsIn, invalid, invalidField } from '../../../actors/domain/refusals.ts';
import { isPublic } from '../../../actors/network/channels.ts';
import { type CancelDeps, cancelOne } from '../../../actors/services/messaging/cancel.ts';
import { actOnce, keyFrom, replayOf } from '../../../actors/services/messaging/idempotency.ts';
import { networkId, type SendOrder } from '../../../actors/services/messaging/sending.ts';
import { expectOpenWindow } from '../../../actors/services/messaging/window.ts';
import { derivedId, momentOfId } from '../../../runtime/derived-ids.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { at } from '../../../runtime/invariant.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import type { AlbumPart } from '../../../store/messaging/message-row.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import { limitKeyOf } from '../../auth/admit.ts';
import { type DeviceCall, rowsFor } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';
import { type Limits, takeManyOrRefuse } from '../../limits/limits.ts';
import { REFUSES_USERNAMES } from '../look-ups.ts';
import { fileViewer, inSession, viewerOf, writerOf } from '../params.ts';
import { CHANGES_MESSAGE } from './access.ts';
import { filesOfAlbum } from './album-files.ts';
import { addresseeFaults } from './checks.ts';
import { expectConnected, type MessagesServices, recipientOf, type Sent, withoutKeys } from './rows.ts';
import { type SendBody, SendSchema, SentSchema } from './schemas.ts';
import { warningsOf } from './warnings.ts';

/** All files are checked and converted first, so that a bad file never leaves an album partly sent. */
export interface AlbumServices extends MessagesServices, CancelDeps {
  readonly sending: MessagesServices['sending'];
  readonly limits: Pick<Limits, 'takeAll'>;
}

interface Item {
  readonly media_r2_key?: string;
  readonly url?: string;
  readonly caption?: string;
}

interface AlbumBody extends Pick<SendBody, 'chat_id' | 'recipient' | 'country_code' | 'connect_only'> {
  readonly media: readonly Item[];
}

type AlbumCall = DeviceCall<unknown, unknown, AlbumBody>;

interface Album {
  readonly id: string;
  readonly items: readonly Sent[];
}

const MAX_ITEMS = 30;
const MAX_BYTES = 64 * 1024 * 1024;
const MINUTE_MS = 60_000;
/**
 * After this time, a call is assumed to have crashed. The limit is high, because a call may convert
 * up to thirty files.
 */
const TAKES_MS = 300_000;

const row = rowsFor<AlbumServices>();

export const albumRow = row({
  id: 'sendAlbum',
  method: 'POST',
  path: '/v1/sessions/{sessionId}/messages/album',
  summary: 'Send an album',
  about:
    'Send 2 to 30 pictures and videos that apps show as one album. All files are checked and converted before the first is sent, and they are sent in this order. Each file is a message ' +
    'of its own with an `album_id`, and counts as one',
  access: 'bearer',
  ...CHANGES_MESSAGE,
  heavy: true,
  params: inSession,
  headers: ['idempotency-key'],
  example: {
    chat_id: '+6281234567890',
    media: [{ media_r2_key: 'med_01JZX5ZB4T8QKX3N9V7C2M6D1E' }, { media_r2_key: 'med_01JZX5ZB4T8QKX3N9V7C2M6D1F' }],
  },
  body: Joi.object<AlbumBody>({
    chat_id: SendSchema.extract('chat_id'),
    recipient: SendSchema.extract('recipient'),
    country_code: SendSchema.extract('country_code'),
    connect_only: SendSchema.extract('connect_only'),
    media: Joi.array()
      .items(
        Joi.object({
          media_r2_key: SendSchema.extract('media_r2_key').description(
            'The key of an uploaded picture or video. Give either this or `url`',
          ),
          url: SendSchema.extract('url').description('A public https address of a picture or video'),
          caption: SendSchema.extract('caption').description('The caption'),
        }).meta({ title: 'AlbumItem' }),
      )
      .min(2)
      .max(MAX_ITEMS)
      .required()
      .description('At most 64 MB in total'),
  }),
  check: faultsOf,
  status: 202,
  returns: Joi.object({
    id: Ulid.required().description('The `album_id` of its messages'),
    items: Joi.array().items(SentSchema).required().description('In the order of `media`'),
  }).meta({ title: 'SentAlbum' }),
  refuses: ['INVALID_NUMBER', 'INVALID_JID', 'URL_BLOCKED', 'CONFLICT', 'WINDOW_CLOSED', 'RECIPIENT_OPTED_OUT', ...REFUSES_USERNAMES],
  run: sendAlbum,
});

function faultsOf(body: Partial<AlbumBody>): readonly Fault[] {
  const items = body.media ?? [];
  const files = items.flatMap(({ media_r2_key: key, url }, nth) =>
    (key === undefined) === (url === undefined) ? [oneFileFault(nth)] : [],
  );
  return [...addresseeFaults(body), ...files];
}

const oneFileFault = (nth: number): Fault => ({
  path: `media.${nth}.media_r2_key`,
  en: 'each item needs media_r2_key or url',
  id: 'setiap isi album memerlukan salah satu dari media_r2_key dan url',
});

async function sendAlbum(services: AlbumServices, call: AlbumCall): Promise<Album> {
  const { caller, device, body, sent, header, now } = call;
  const request = ['album', device._id, withoutKeys(services, body, sent)];
  const asked = { key: keyFrom(header('idempotency-key')), tenantId: caller.tenantId, request, takesMs: TAKES_MS };
  const { answer, isReplay } = await actOnce<Album>(services, asked, now, (id, isAgain) => albumUnder(services, call, id, isAgain));
  return isReplay ? { ...answer, items: answer.items.map((item) => ({ ...item, idempotent_replay: true as const })) } : answer;
}

async function albumUnder(services: AlbumServices, call: AlbumCall, id: string, isAgain: boolean): Promise<Album> {
  const { caller, device, body, now } = call;
  const made = momentOfId(id);
  const ids = body.media.map((_, nth) => derivedId(`${id} ${nth}`, made, nth));
  const there = isAgain ? await Promise.all(ids.map((one) => services.messages.find(caller.tenantId, device._id, one))) : [];
  if (there.length > 0 && there.every((one) => one !== null)) return { id, items: there.flatMap((one) => (one ? [replayOf(one)] : [])) };
  if (body.connect_only !== false) expectConnected(device);
  const chat = await recipientOf(services, { caller, device, body, now });
  if (isPublic(chat)) throw invalidField('chat_id', PEOPLE_ONLY);
  await services.visibility.expectChat(viewerOf(caller), device, chat);
  const { isOptedOut } = await services.consentCheck.admit(caller.tenantId, chat);
  await expectOpenWindow(services, device, chat, call.lang, now);
  await countOthers(services, call);
  return withFiles(services, call, async (files) => {
    const prepared = await Promise.all(files.map((file, nth) => fit(services, file, nth)));
    const videos = prepared.filter(({ type }) => type === 'video').length;
    const album: AlbumPart = { id, net_id: networkId(device.secret, id, made), images: prepared.length - videos, videos };
    const orders = prepared.map(({ type, media }, nth): SendOrder & { readonly id: string } => ({
      ...{ id: at(ids, nth), chat, message_type: type, body: at(body.media, nth).caption || null, parts: { media, album } },
      ...{ media_r2_key: at(files, nth)._id, quotes: null, lane: LANES.reply, priority: 0 },
      ...writerOf(caller),
    }));
    const accepted = await acceptAll(services, call, orders);
    if (isAgain) await dropOthers(services, call, orders);
    const items = accepted.map((one, nth) => ({ ...one, ...warningsOf(isOptedOut, call.lang, [], at(prepared, nth).warnings) }));
    return { id, items };
  });
}

const PEOPLE_ONLY = { en: 'an album can be sent only to a person or a group', id: 'album hanya dapat dikirim ke orang atau grup' };

/** Counts all messages but one, because the call itself has already been counted. */
async function countOthers({ limits }: AlbumServices, { caller, body, now }: AlbumCall): Promise<void> {
  const { send_per_minute: max } = caller.plan;
  const others = Math.min(body.media.length, max) - 1;
  await takeManyOrRefuse(limits, { key: `send:${limitKeyOf(caller)}`, max, windowMs: MINUTE_MS }, others, now);
}

async function withFiles(
  services: AlbumServices,
  { caller, body, now }: AlbumCall,
  use: (files: readonly MediaRow[]) => Promise<Album>,
): Promise<Album> {
  const files = await filesOfAlbum(services, fileViewer(caller), body.media, { maxBytes: MAX_BYTES, now });
  try {
    return await use(files);
  } catch (cause) {
    for (const [nth, { _id: key }] of files.entries())
      if (at(body.media, nth).url !== undefined) await services.media.remove(caller.tenantId, key).catch(() => {});
    throw cause;
  }
}

async function fit({ media }: AlbumServices, file: MediaRow, nth: number) {
  const kind = file.content_type.split('/', 1)[0];
  if (kind !== 'image' && kind !== 'video') throw invalidField(`media.${nth}.media_r2_key`, noPart(file.content_type));
  try {
    const { type, ...prepared } = await media.prepare(file, { type: kind });
    return { ...prepared, type: type === 'video' ? type : ('image' as const) };
  } catch (cause) {
    throw renamed(cause, nth);
  }
}

function renamed(cause: unknown, nth: number): unknown {
  const faults = cause instanceof Refusal ? faultsIn(cause) : null;
  return faults ? invalid(faults.map((fault) => ({ ...fault, path: `media.${nth}.${fault.path}` }))) : cause;
}

const noPart = (type: string) => ({
  en: `the file is ${type}; an album can have only pictures and videos`,
  id: `jenis berkas ini ${type}; album hanya boleh berisi gambar dan video`,
});

/** If one message is refused, cancels the messages accepted before it. */
async function acceptAll(
  services: AlbumServices,
  { caller, device, now }: AlbumCall,
  orders: readonly (SendOrder & { readonly id: string })[],
): Promise<readonly Sent[]> {
  const accepted: Sent[] = [];
  try {
    for (const order of orders) accepted.push(await services.sending.accept(device, caller.plan, order, now));
    return accepted;
  } catch (cause) {
    for (const { id } of accepted) await cancelOne(services, device, id, now).catch(() => null);
    throw cause;
  }
}

/** Removes this call's files if an earlier call with the same key has stored its own files. */
async function dropOthers(
  { messages, media }: AlbumServices,
  { caller, device, body }: AlbumCall,
  orders: readonly (SendOrder & { readonly id: string })[],
) {
  for (const [nth, { id, media_r2_key: key }] of orders.entries()) {
    if (at(body.media, nth).url === undefined || key === undefined) continue;
    const stored = await messages.find(caller.tenantId, device._id, id).catch(() => null);
    if (stored && stored.media_r2_key !== key) await media.remove(caller.tenantId, key).catch(() => {});
  }
}
