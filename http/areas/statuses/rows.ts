import Joi from 'joi';
import { digitsRead } from '../../../actors/domain/numbers/read-number.ts';
import { type Fault, invalid } from '../../../actors/domain/refusals.ts';
import { STORIES, userJid } from '../../../actors/network/jid.ts';
import { type CancelDeps, eraseHere } from '../../../actors/services/messaging/cancel.ts';
import { keyFrom, sendOnce } from '../../../actors/services/messaging/idempotency.ts';
import { type MessageActionServiceDeps, requestMessageAction } from '../../../actors/services/messaging/message-actions.ts';
import type { Sending, SendOrder } from '../../../actors/services/messaging/sending.ts';
import type { People } from '../../../actors/services/people/people.ts';
import { audienceOf, MAX_AUDIENCE, SHOWN_MS, type StatusDeps, statusesOf, statusOf } from '../../../actors/services/statuses/statuses.ts';
import { present } from '../../../runtime/invariant.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import { LANES, type MessageRow, type Messages } from '../../../store/messaging/messages.ts';
import type { StatusViews } from '../../../store/messaging/status-views.ts';
import { nextOf, pageIn } from '../../core/paging.ts';
import { type Area, type Caller, type DeviceCall, rowsFor } from '../../core/row.ts';
import { Done, nextPage, paging, Ulid } from '../../core/schemas.ts';
import { type AttachingServices, attach } from '../messages/attachments.ts';
import { SentSchema } from '../messages/schemas.ts';
import { warningsOf } from '../messages/warnings.ts';
import { fileViewer, type IdentityServices, inSession } from '../params.ts';
import { type StatusBody, StatusBodySchema, StatusSchema, toStatus } from './schemas.ts';

export interface StatusServices
  extends StatusDeps,
    AttachingServices,
    CancelDeps,
    IdentityServices,
    Pick<MessageActionServiceDeps, 'device' | 'receivedActions'> {
  readonly messages: Messages;
  readonly sending: Sending;
  readonly idempotency: IdempotencyKeys;
  readonly statusViews: StatusViews;
  readonly persons: People;
}

interface Paging {
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const row = rowsFor<StatusServices>();
const VIEWS_IN_LIST = 20;
const STATUSES = '/v1/sessions/{sessionId}/status';
const STATUS = '/v1/sessions/{sessionId}/status/{statusId}';
const atStatus = inSession.keys({ statusId: Ulid.required() });

function faultsOf({ type, body, media_r2_key, background_color }: Partial<StatusBody>): readonly Fault[] {
  const isText = type === 'text';
  const fault = (path: string, en: string, id: string): Fault => ({ path, en, id });
  return [
    ...(isText && body === undefined ? [fault('body', 'body is required for type text', 'body wajib diisi untuk tipe text')] : []),
    ...(!isText && type !== undefined && media_r2_key === undefined
      ? [fault('media_r2_key', 'media_r2_key is required for this type', 'media_r2_key wajib diisi untuk tipe ini')]
      : []),
    ...(isText && media_r2_key !== undefined
      ? [fault('media_r2_key', 'a text status cannot have a file', 'status teks tidak boleh memiliki berkas')]
      : []),
    ...(!isText && background_color !== undefined
      ? [fault('background_color', 'only a text status can have a background', 'hanya status teks yang dapat memiliki latar')]
      : []),
  ];
}

export const statuses: Area<StatusServices> = {
  name: 'status',
  about: 'Status updates of a device, visible to their audience for a day',
  rows: [
    row({
      id: 'listStatuses',
      method: 'GET',
      path: STATUSES,
      summary: 'List statuses',
      about: `List the statuses of the last 24 hours, newest first, each with the ${VIEWS_IN_LIST} people who viewed it last`,
      access: 'bearer',
      deviceKeys: true,
      heavy: true,
      params: inSession,
      query: Joi.object<Paging>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ status: Joi.array().items(StatusSchema).required(), ...nextPage }),
      async run(services, { device, query, now }) {
        const { entries, next } = await statusesOf(services, device, { page: pageIn(query), now }, async (rows) => {
          const status = [];
          for (const each of rows) status.push(await shown(services, device, each, VIEWS_IN_LIST));
          return status;
        });
        return { status: entries, ...nextOf(next) };
      },
    }),
    row({
      id: 'publishStatus',
      method: 'POST',
      path: STATUSES,
      summary: 'Publish a status',
      about:
        'Publish a status. It is stored before the response is sent, counts as a message, and expires after a day if the device stays offline',
      access: 'bearer',
      deviceKeys: true,
      scope: 'send',
      audit: { none: 'the list of statuses records it' },
      params: inSession,
      headers: ['idempotency-key'],
      body: StatusBodySchema,
      check: faultsOf,
      status: 202,
      returns: SentSchema,
      refuses: ['INVALID_NUMBER', 'CONFLICT', 'RECIPIENT_OPTED_OUT', 'OVERLOADED'],
      async run(services, { caller, device, body, sent, header, lang, now }) {
        const publish = async (id?: string) => {
          const { order, isShortened } = await orderOf(services, caller, device, body, now);
          const accepted = await services.sending.accept(device, caller.plan, id === undefined ? order : { ...order, id }, now);
          return { ...accepted, ...warningsOf(isShortened, lang) };
        };
        const key = keyFrom(header('idempotency-key'));
        return key === undefined ? publish() : sendOnce(services, { key, device, request: ['status', sent] }, now, publish);
      },
    }),
    row({
      id: 'getStatus',
      method: 'GET',
      path: STATUS,
      summary: 'Get a status',
      about: 'Get a status with its viewers, latest first',
      access: 'bearer',
      deviceKeys: true,
      params: atStatus,
      status: 200,
      returns: StatusSchema,
      run: async (services, call) => shown(services, call.device, await at(services, call), MAX_AUDIENCE),
    }),
    row({
      id: 'deleteStatus',
      method: 'DELETE',
      path: STATUS,
      summary: 'Delete a status',
      about:
        'Delete a status for its whole audience. A waiting status is cancelled. After DEVICE_TIMEOUT the deletion is still in progress and happens once the network accepts it',
      access: 'bearer',
      deviceKeys: true,
      scope: 'send',
      audit: { none: 'the list of statuses records it' },
      stepUp: { none: 'one status, as on the phone' },
      params: atStatus,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run(services, call) {
        const { device, now } = call;
        const { _id: id } = await at(services, call);
        const isErased = await eraseHere(services, device, id, now);
        if (!isErased) await requestMessageAction(services, device, id, { kind: 'erase', value: '' }, now);
        return { ok: true as const };
      },
    }),
  ],
};

const at = (services: StatusServices, { device, params, now }: DeviceCall<{ statusId: string }, unknown, unknown>): Promise<MessageRow> =>
  statusOf(services, device, params.statusId, now);

async function shown({ statusViews, persons }: StatusServices, device: DeviceRow, row: MessageRow, most: number) {
  const views = await statusViews.of(device._id, row.net_id, most);
  const count = views.length < most ? views.length : await statusViews.count(device._id, row.net_id, MAX_AUDIENCE);
  const people = views.map((view) => ({ ...view, username: null }));
  return toStatus(row, await persons.describe(device.tenant_id, people), count);
}

async function orderOf(services: StatusServices, caller: Caller, device: DeviceRow, body: StatusBody, now: number) {
  const faults = faultsOf(body);
  if (faults.length > 0) throw invalid(faults);
  const { chats, isShortened } = await audienceOf(services, device, await recipientsOf(services, caller, body));
  const { type, media_r2_key, background_color: background } = body;
  const file = media_r2_key === undefined ? null : await attach(services, fileViewer(caller), asSend(body, media_r2_key), now);
  const story = { audience: chats, ...(background !== undefined && { background }) };
  const order: SendOrder = {
    chat: STORIES,
    message_type: file?.message_type ?? type,
    body: file ? file.body : (body.body ?? null),
    parts: { ...file?.parts, story },
    ...(file && { media_r2_key: file.media_r2_key }),
    quotes: null,
    lane: LANES.reply,
    priority: 0,
    expiresAt: now + SHOWN_MS,
  };
  return { order, isShortened };
}

const asSend = ({ type, body }: StatusBody, media_r2_key: string) => ({
  chat_id: STORIES,
  type,
  media_r2_key,
  ...(body !== undefined && { caption: body }),
});

async function recipientsOf({ people, numbers }: StatusServices, caller: Caller, { recipients }: StatusBody) {
  if (!recipients) return null;
  const reads = await numbers.all(caller, recipients);
  const digits = recipients.map((text, nth) => digitsRead(text, present(reads[nth], text)));
  return Promise.all(digits.map((phone) => people.resolve(caller.tenantId, userJid(phone))));
}
