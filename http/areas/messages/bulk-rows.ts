import Joi from 'joi';
import { type Fault, REFUSALS, refusal } from '../../../actors/domain/refusals.ts';
import { EVERYONE } from '../../../actors/network/port.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import type { PreparedFiles } from '../../../actors/services/media/prepared-files.ts';
import { isMediaType } from '../../../actors/services/media/types.ts';
import { type CancelDeps, cancelOne } from '../../../actors/services/messaging/cancel.ts';
import { actOnce, keyFrom, replayOf, sendOnce } from '../../../actors/services/messaging/idempotency.ts';
import { type RetryDeps, retry } from '../../../actors/services/messaging/retry.ts';
import type { SendOrder } from '../../../actors/services/messaging/sending.ts';
import { expectOpenWindow } from '../../../actors/services/messaging/window.ts';
import { derivedId, momentOfId } from '../../../runtime/derived-ids.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import { LANES, type MessageParts, type MessageRow } from '../../../store/messaging/messages.ts';
import { type IsStoreDown, toWire, type Wire } from '../../core/errors.ts';
import { type Area, type DeviceCall, type Lang, rowsFor } from '../../core/row.ts';
import { Readings, Ulid } from '../../core/schemas.ts';
import { REFUSES_USERNAMES } from '../look-ups.ts';
import { inSession, viewerOf, writerOf } from '../params.ts';
import { CHANGES_MESSAGE, messageAt, messageToChange } from './access.ts';
import { type AlbumServices, albumRow } from './album-rows.ts';
import { asides } from './asides.ts';
import { withBoundedFiles } from './attachments.ts';
import { addresseeFaults } from './checks.ts';
import {
  type AskedToSendNow,
  chatOf,
  expectConnected,
  expectMayPost,
  type MessagesServices,
  recipientOf,
  type Sent,
  sendMessage,
  withoutKeys,
} from './rows.ts';
import { FullMessageSchema, type SendBody, SendSchema, SentSchema, toFullMessage } from './schemas.ts';
import { warningsOf } from './warnings.ts';

export interface MessageWorkServices extends MessagesServices, CancelDeps, RetryDeps {
  readonly media: Pick<MediaLibrary, 'use' | 'keep' | 'remove'> & Pick<PreparedFiles, 'prepare' | 'previewPicture'>;
  readonly sending: MessagesServices['sending'];
  readonly isStoreDown: IsStoreDown;
}

const Refused = Joi.object({
  error: Joi.string().required(),
  code: Joi.string().required(),
  details: Joi.array().items(Joi.object({ path: Joi.string().required(), message: Joi.string().required() })),
  readings: Readings,
  closed_at: Joi.number().integer().allow(null).description('For WINDOW_CLOSED: when the window closed; null if it was never open'),
  templates: Joi.array()
    .items(
      Joi.object({
        id: Ulid.required(),
        name: Joi.string().required(),
        language: Joi.string().required(),
        category: Joi.string().required(),
        variables: Joi.array().items(Joi.string()).required(),
      }).meta({ title: 'FittingTemplate' }),
    )
    .description('For WINDOW_CLOSED: approved templates that can be sent'),
}).meta({ title: 'Refused' });

const row = rowsFor<MessageWorkServices>();
const atMessage = inSession.keys({ messageId: Ulid.required() });
const MAX_MESSAGES = 100;
const BATCH_SIZE = 10;

export const messageWork: Area<MessageWorkServices & AlbumServices> = {
  name: 'message work',
  about: 'Send in bulk, send albums, and retry, cancel or forward messages',
  rows: [
    row({
      id: 'sendMessages',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/bulk',
      summary: 'Send many messages',
      about: 'Send up to 100 messages. Each is accepted or refused separately',
      audit: { none: 'the message log records the message' },
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      scope: 'send',
      limit: 'bulk',
      params: inSession,
      body: Joi.object<{ messages: SendBody[] }>({ messages: Joi.array().items(SendSchema).min(1).max(MAX_MESSAGES).required() }),
      check: faultsOfAll,
      maxKeys: 30_000,
      status: 202,
      headers: ['idempotency-key'],
      returns: Joi.object({ results: Joi.array().items(SentSchema, Refused).required() }),
      run: sendAll,
    }),
    row({
      id: 'retryMessage',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/retry',
      summary: 'Retry a failed message',
      about:
        'Retry a failed message. It keeps its network id, so it cannot arrive twice; from an official number it gets a new id and may arrive twice',
      access: 'bearer',
      ...CHANGES_MESSAGE,
      params: atMessage,
      status: 202,
      returns: FullMessageSchema.keys({ warnings: SentSchema.extract('warnings') }).meta({ title: 'RetriedMessage' }),
      refuses: ['CONFLICT', 'RECIPIENT_OPTED_OUT'],
      run: retryOne,
    }),
    row({
      id: 'cancelMessage',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/cancel',
      summary: 'Cancel a waiting message',
      about: 'Cancel a message that is waiting to be sent. It no longer counts against the quota',
      access: 'bearer',
      ...CHANGES_MESSAGE,
      params: atMessage,
      status: 200,
      returns: FullMessageSchema,
      refuses: ['CONFLICT'],
      async run(services, call) {
        const { device, params, now } = call;
        await messageToChange(services, call);
        const cancelled = await cancelOne(services, device, params.messageId, now);
        return toFullMessage(cancelled, (await asides(services, device, [cancelled], call))(cancelled));
      },
    }),
    row({
      id: 'forwardMessage',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/forward',
      summary: 'Forward a message',
      about: 'Forward the content of a message to another chat',
      example: { chat_id: '+6281234567890' },
      access: 'bearer',
      ...CHANGES_MESSAGE,
      params: atMessage,
      body: Joi.object<ForwardBody>({ chat_id: SendSchema.extract('chat_id'), recipient: SendSchema.extract('recipient') }),
      check: addresseeFaults,
      headers: ['idempotency-key'],
      status: 202,
      returns: SentSchema,
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'CONFLICT', 'WINDOW_CLOSED', 'RECIPIENT_OPTED_OUT', ...REFUSES_USERNAMES],
      run: forward,
    }),
    albumRow,
  ],
};

/**
 * Converts an expected error to a result. An unexpected error is rethrown and fails the whole
 * request.
 */
function refused({ isStoreDown }: MessageWorkServices, cause: unknown, lang: Lang): Wire['body'] {
  const { body } = toWire(cause, lang, isStoreDown);
  if (body.code === 'INTERNAL') throw cause;
  return body;
}

/** Whether the message was sent or permanently refused, so that a later call must not send it again. */
const isSettled = (result: Sent | Wire['body']): boolean => !('code' in result) || REFUSALS[result.code].status < 500;

function faultsOfAll({ messages = [] }: Partial<Bulk>): readonly Fault[] {
  return messages.flatMap((one, nth) => addresseeFaults(one).map((fault) => ({ ...fault, path: `messages.${nth}.${fault.path}` })));
}

interface Bulk {
  readonly messages: SendBody[];
}

interface BulkIds {
  readonly id: string;
  /** The id under which earlier versions stored the message. */
  readonly unsorted: string;
}

/** The ids sort in the order of the messages in the call. */
function idsOf(callId: string, nth: number): BulkIds {
  const [cause, at] = [`${callId} ${nth}`, momentOfId(callId)];
  return { id: derivedId(cause, at, nth), unsorted: derivedId(cause, at) };
}

/** Message ids are derived from the key, so that a retry finds the messages of a call that crashed. */
async function sendAll(services: MessageWorkServices, bulk: DeviceCall<unknown, unknown, Bulk>) {
  const { caller, device, body, sent, header, lang, now } = bulk;
  const key = keyFrom(header('idempotency-key'));
  const isWhole = (results: readonly object[]): boolean => results.every((one) => 'id' in one);
  const isFinal = (results: readonly (Sent | Wire['body'])[]): boolean => results.every(isSettled);
  const call = { key, tenantId: caller.tenantId, request: ['bulk', device._id, withoutKeys(services, body, sent)], isWhole, isFinal };
  const find = (id: string) => services.messages.find(caller.tenantId, device._id, id);
  const { answer, isReplay } = await actOnce(services, call, now, async (callId, isAgain) => {
    const asked = body.messages.map((one, nth) => ({ one, ids: idsOf(callId, nth) }));
    const addressed = await inTurns(caller.tenantId, asked, async ({ one, ids }) => {
      const there = isAgain ? ((await find(ids.id)) ?? (await find(ids.unsorted))) : null;
      if (there) return { result: replayOf(there) };
      const asking = { caller, device, body: one, lang, now };
      return chatOf(services, asking).then(
        (chat) => ({ id: ids.id, asking: { ...asking, chat } }),
        (cause) => ({ result: refused(services, cause, lang) }),
      );
    });
    const inOrder = inOrderOfChats(withBoundedFiles(services));
    return inTurns(caller.tenantId, addressed, async (one) =>
      'result' in one ? one.result : inOrder(one.asking, one.id).catch((cause) => refused(services, cause, lang)),
    );
  });
  return { results: isReplay ? answer.map((one) => ('id' in one ? { ...one, idempotent_replay: true as const } : one)) : answer };
}

async function inTurns<T, R>(tenantId: string, all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const batches = inChunks(all, BATCH_SIZE).map(async (batch) => {
    await fairSlices.turn(tenantId);
    return Promise.all(batch.map(work));
  });
  return (await Promise.all(batches)).flat();
}

/**
 * Files are downloaded in parallel, but a message is stored only after the earlier messages to its
 * chat. Otherwise a connected device could send a later message first.
 */
function inOrderOfChats(services: MessageWorkServices) {
  const { sending } = services;
  const last = new Map<string, Promise<unknown>>();
  return (asking: AskedToSendNow & { readonly chat: string }, id: string): Promise<Sent> => {
    const earlier = last.get(asking.chat);
    const accept: typeof sending.accept = async (...order) => {
      await earlier;
      return sending.accept(...order);
    };
    const result = sendMessage({ ...services, sending: { ...sending, accept } }, asking, id);
    last.set(
      asking.chat,
      result.catch(() => {}),
    );
    return result;
  };
}

type ForwardBody = Pick<SendBody, 'chat_id' | 'recipient'>;

type Forwarding = DeviceCall<{ messageId: string }, unknown, ForwardBody>;

async function retryOne(services: MessageWorkServices, call: DeviceCall<{ messageId: string }, unknown, unknown>) {
  const { caller, device, params, lang, now } = call;
  const found = await messageToChange(services, call);
  const { isOptedOut } = await services.consentCheck.admit(caller.tenantId, found.chat_id, device._id);
  const retried = await retry(services, device, caller.plan, params.messageId, now);
  const aside = (await asides(services, device, [retried], call))(retried);
  return { ...toFullMessage(retried, aside), ...warningsOf(isOptedOut, lang) };
}

async function forward(services: MessageWorkServices, call: Forwarding) {
  const { device, params, body, header, now } = call;
  const key = keyFrom(header('idempotency-key'));
  if (key === undefined) return forwardUnder(services, call);
  return sendOnce(services, { key, device, request: withoutKeys(services, body, { forward: params.messageId, ...body }) }, now, (id) =>
    forwardUnder(services, call, id),
  );
}

async function forwardUnder(services: MessageWorkServices, call: Forwarding, id?: string): Promise<Sent> {
  const { caller, device, body, lang, now } = call;
  const { sending, visibility, media } = services;
  const found = await messageAt(services, call);
  if (found.status === 'deleted') throw refusal('NOT_FOUND');
  expectConnected(device);
  const chat = await recipientOf(services, { caller, device, body, now });
  await expectMayPost(services, caller, device, chat, now);
  await visibility.expectChat(viewerOf(caller), device, chat);
  const { isOptedOut } = await services.consentCheck.admit(caller.tenantId, chat, device._id);
  await expectOpenWindow(services, device, chat, lang, now);
  const copy = { ...copyOf(found, chat), ...writerOf(caller) };
  if (copy.media_r2_key !== undefined) await media.use(caller.tenantId, copy.media_r2_key);
  return {
    ...(await sending.accept(device, caller.plan, id === undefined ? copy : { ...copy, id }, now)),
    ...warningsOf(isOptedOut, lang),
  };
}

function copyOf({ message_type, body, parts, media_r2_key }: MessageRow, chat: string): SendOrder {
  if (message_type === 'reaction') throw refusal('CONFLICT', { reason: message_type });
  if (parts.invite) throw refusal('CONFLICT', { reason: 'invite' });
  if (isMediaType(message_type) && media_r2_key === null) throw refusal('CONFLICT', { reason: message_type });
  const content = { message_type, body, parts: partsFor(chat, parts), ...(media_r2_key && { media_r2_key }) };
  return { chat, ...content, quotes: null, lane: LANES.reply, priority: 0 };
}

function partsFor(chat: string, { mentions, album: _album, official: _template, ...parts }: MessageParts): MessageParts {
  const named = chat.endsWith('@g.us') ? mentions : mentions?.filter((who) => who !== EVERYONE);
  return named && named.length > 0 ? { ...parts, mentions: named } : parts;
}
