import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { newId } from '../../../runtime/ids.ts';
import type { Safe } from '../../../runtime/safe-text.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import type { DeferredMedia } from '../../../store/messaging/deferred-media.ts';
import type { MessageParts, MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import { type Aliases, nameOf } from '../../../store/messaging/net-ids.ts';
import type { FileReference, InboundMessage } from '../../network/port.ts';
import type { SealedMessageSecrets } from '../../services/credentials/message-secrets.ts';
import type { DeviceFiles } from '../../services/media/device-files.ts';
import { type Download, IncomingFile } from '../../services/media/incoming-file.ts';
import { asOurs, deferMedia, inboundRow } from '../behaviour/inbound-row.ts';
import { catchUp } from './early-actions.ts';
import type { KeepingDeps } from './network-events.ts';

export interface InboundDeps extends Pick<KeepingDeps, 'receivedActions' | 'people' | 'timers'> {
  readonly messages: Messages;
  readonly files: DeviceFiles;
  readonly deferredMedia: DeferredMedia;
  readonly download: Download;
  readonly clock: Clock;
  readonly secrets: SealedMessageSecrets;
  isPlatformChat(chat: string): Promise<boolean>;
  readonly log: Pick<Logger, 'warn'>;
  readonly stored: (row: MessageRow) => void;
}

export interface InboundArrival {
  readonly message: Safe<InboundMessage>;
  readonly isOurs: boolean;
}

/** Stores a message before its ack. Rejects if the network should deliver the message again. */
export async function storeInbound(deps: InboundDeps, owner: Owner, arrival: InboundArrival, now: number): Promise<void> {
  const { message, isOurs } = arrival;
  // The id is created before any lookup, so that ids sort in the order of arrival.
  const _id = newId(now);
  const came = inboundRow(_id, owner, message, await deps.people.place(owner.tenantId, message), now);
  if (await deps.isPlatformChat(came.chat_id)) return;
  if (await isRendering(deps, came, arrival)) return;
  const secret = message.secret === undefined ? {} : { secret: deps.secrets.seal(came, message.secret) };
  const row = { ...came, ...secret, parts: await withPeople(deps, came, message), ...(isOurs && asOurs(message)) };
  const aliases = aliasesOf(message);
  const isNew = 'file' in message.content ? await receiveFile(deps, owner, row, message) : await deps.messages.receive(row, aliases);
  if (isNew && !isOurs) deps.stored(row);
  await deps.timers.learnFrom(row.chat_id, message);
  await catchUp(deps, owner, [message.netId]);
}

/** Whether the message is another version (such as HD) of a stored message by the same author. */
async function isRendering({ messages }: InboundDeps, came: MessageRow, { message, isOurs }: InboundArrival): Promise<boolean> {
  const { renders, netId } = message;
  if (renders === undefined || renders === netId) return false;
  const author = isOurs ? null : [came.sender, came.sender_lid].filter((one) => typeof one === 'string');
  return (await messages.known(came.session_id, { netId: renders, chats: [came.chat_id], by: author })) !== null;
}

const aliasesOf = ({ chat, chatAlt, from, fromAlt }: Safe<InboundMessage>): Aliases => ({
  chats: chatAlt === undefined ? [chat] : [chat, chatAlt],
  by: fromAlt === undefined ? [from] : [from, fromAlt],
});

async function withPeople(
  deps: InboundDeps,
  came: MessageRow,
  { quotes, quotesFrom, mentions }: Safe<InboundMessage>,
): Promise<MessageParts> {
  const { tenant_id: tenantId, session_id, chat_id, parts } = came;
  const named = mentions && (await deps.people.resolveAll(tenantId, mentions));
  if (quotes === null) return { ...parts, ...(named && { mentions: named }) };
  const namesakes = await deps.messages.namesakes(session_id, { netId: quotes, chats: [chat_id] });
  const author = namesakes.length > 1 && quotesFrom !== undefined ? await deps.people.resolve(tenantId, quotesFrom) : null;
  const quoted = namesakes.find(({ sender, sender_lid }) => author === sender || quotesFrom === sender_lid) ?? namesakes[0];
  return { ...parts, ...(named && { mentions: named }), reply_to: quoted?._id ?? null };
}

/** Returns false if the message was stored before, in which case its file is not kept. */
async function receiveFile(deps: InboundDeps, owner: Owner, came: MessageRow, message: Safe<InboundMessage>): Promise<boolean> {
  const where = message.file ?? null;
  // An earlier message may have the same network id, so the file's storage key gets a slot number.
  const slot = await deps.messages.slotOf(came, aliasesOf(message));
  const row = { ...came, ...slot };
  const fetched = withFile(deps, row, where);
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const cancel = deps.clock.after(FILE_FIRST_MS, () => resolve(null));
  const inTime = await Promise.race([fetched, late]).finally(cancel);
  if (inTime === null) return receiveWithout(deps, owner, { row, where, fetched });
  if (await deps.messages.receive(inTime, aliasesOf(message))) return true;
  const stored = await deps.messages.known(row.session_id, nameOf(row, aliasesOf(message)));
  if (stored) await deps.files.dropInbound(stored);
  return false;
}

/** Most files arrive within this time and are then included in the event for their message. */
const FILE_FIRST_MS = 3_000;

interface Fetching {
  readonly row: MessageRow;
  readonly where: FileReference | null;
  readonly fetched: Promise<MessageRow>;
}

async function receiveWithout(deps: InboundDeps, owner: Owner, { row, where, fetched }: Fetching): Promise<boolean> {
  fetched
    .then(async (done) => {
      const { media_r2_key: key, error, parts } = done;
      if (key !== null && parts.media) {
        if (await deps.deferredMedia.fetched(owner, row, key, parts.media)) return;
        const now = await deps.messages.known(row.session_id, nameOf(row));
        if (now?.media_r2_key !== key) await deps.files.dropInbound({ ...row, status: 'deleted' });
      } else if (error !== null && done.deferred_media === undefined) await deps.deferredMedia.gone(owner, row, error);
    })
    .catch((err) => deps.log.warn({ event: 'device.file_not_stored', err, tenant: row.tenant_id, device: row.session_id }, LATE));
  return deps.messages.receive({ ...row, ...deferMedia(where) });
}

const LATE = 'a received file could not be stored; it remains on the network';

/** Maximum number of downloads at a time per tenant, so that one tenant cannot fill the S3 queue. */
const AT_ONCE = 8;
const fetching = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: AT_ONCE });

async function withFile(deps: InboundDeps, row: MessageRow, where: FileReference | null): Promise<MessageRow> {
  const { files, download, clock } = deps;
  try {
    const file = await new IncomingFile(download, clock).into((open) => fetching.run(row.tenant_id, () => files.keepInbound(row, open)));
    if (!file) return { ...row, ...deferMedia(where) };
    return { ...row, media_r2_key: file._id, parts: { ...row.parts, media: { ...row.parts.media, ...factsOf(file) } } };
  } catch (cause) {
    if (!(cause instanceof Refusal)) return notStored(deps, row, where, cause);
    // Defer the download, because the tenant may get storage or another host may have an intact copy.
    if (cause.code === 'LIMIT_REACHED' || cause.code === 'UNSUPPORTED_MEDIA_TYPE') return { ...row, ...deferMedia(where) };
    const error = GONE[cause.code];
    if (!error) throw cause;
    return { ...row, error };
  }
}

function notStored({ log }: InboundDeps, row: MessageRow, where: FileReference | null, err: unknown): MessageRow {
  const { tenant_id: tenant, session_id: device, net_id: message } = row;
  log.warn(
    { event: 'device.file_not_stored', err, tenant, device, message },
    'a received file could not be stored; it remains on the network',
  );
  return { ...row, ...deferMedia(where) };
}

export const GONE: Readonly<Record<string, string>> = {
  NOT_FOUND: 'media_gone',
  PAYLOAD_TOO_LARGE: 'media_too_large',
  VALIDATION_FAILED: 'media_empty',
  UNSUPPORTED_MEDIA_TYPE: 'media_changed',
};

export const factsOf = ({ content_type, filename, size, sha256 }: MediaRow) => ({ content_type, filename, size, sha256 });
