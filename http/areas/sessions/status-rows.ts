import Joi from 'joi';
import { restrictionAt } from '../../../actors/device/behaviour/restriction.ts';
import { ADVICE } from '../../../actors/domain/health/signs.ts';
import { readingsOf } from '../../../actors/domain/numbers/read-number.ts';
import { settingsOf } from '../../../actors/domain/settings.ts';
import { youngDay } from '../../../actors/domain/warm-up.ts';
import { isLid, phoneOf } from '../../../actors/network/jid.ts';
import { personIn } from '../../../actors/network/subject.ts';
import type { PersonRead } from '../../../actors/services/identities/person-reader.ts';
import { type CancelDeps, cancelWaiting } from '../../../actors/services/messaging/cancel.ts';
import { type Waiting, whyMessagesWait } from '../../../actors/services/messaging/waiting.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { DeviceDays } from '../../../store/devices/device-days.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { FIRST_CONTACT, type MessageRow } from '../../../store/messaging/message-row.ts';
import type { QueuePlace } from '../../../store/messaging/messages.ts';
import { readPage } from '../../../store/paging/page.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Readings, Timestamp } from '../../core/schemas.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { type Asking, lookUpFor, type PersonServices, type UsernameLookUps } from '../look-ups.ts';
import { WaitingSchema } from '../messages/aside-schemas.ts';
import { MessageSchema, toMessage } from '../messages/schemas.ts';
import { inSession } from '../params.ts';
import type { SessionsServices } from './rows.ts';
import { Restriction } from './schemas.ts';

export interface SessionWorkServices extends Omit<SessionsServices, 'ceremonies' | 'address'>, CancelDeps, PersonServices {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly days: DeviceDays;
}

const row = rowsFor<SessionWorkServices>();
const LANE_NAMES = ['reply', 'scheduled', 'blast'] as const;
const MAX_SHOWN = 200;
const MINUTE_MS = 60_000;

interface QueueQuery {
  readonly limit: number;
  readonly before?: string;
}

const toQueued = (row: MessageRow, waiting: Waiting | null) => ({
  ...toMessage(row),
  ...(waiting && { waiting }),
  lane: LANE_NAMES[row.lane % FIRST_CONTACT] ?? 'blast',
  priority: row.priority,
});

function placeIn(before: string): QueuePlace {
  const [lane, priority, _id = ''] = before.split('.');
  return { lane: Number(lane), priority: Number(priority), _id };
}

export const sessionWork: Area<SessionWorkServices> = {
  name: 'session work',
  about: 'The queue and the health of a device, and number validation',
  rows: [
    row({
      id: 'getQueue',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/queue',
      summary: 'List waiting messages',
      about: 'List the waiting messages of this device in the order in which they will be sent',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      query: Joi.object<QueueQuery>({
        limit: Joi.number().integer().min(1).max(MAX_SHOWN).default(MAX_SHOWN).description('Messages per page'),
        before: Joi.string()
          .pattern(/^\d{1,4}\.\d{1,4}\.[0-9A-HJKMNP-TV-Z]{26}$/)
          .description('`next_before` of the previous page'),
      }),
      status: 200,
      returns: Joi.object({
        ...nextInList,
        depth: Joi.number().integer().required(),
        queue: Joi.array()
          .items(
            MessageSchema.keys({
              lane: Joi.string()
                .valid(...LANE_NAMES)
                .required(),
              priority: Joi.number().integer().required(),
              waiting: WaitingSchema,
            }).meta({ title: 'QueuedMessage' }),
          )
          .required(),
      }),
      async run(services, { caller, device, query, now }) {
        const { messages } = services;
        const waiting = await whyMessagesWait(services, device, now);
        const page = readPage<MessageRow, ReturnType<typeof toQueued>>({
          owner: caller.tenantId,
          page: { limit: query.limit, before: null, beforeId: query.before ?? null },
          list: ({ limit, beforeId }) => messages.waiting(caller.tenantId, device._id, beforeId === null ? null : placeIn(beforeId), limit),
          placeOf: ({ lane, priority, _id }) => ({ at: 0, id: [lane, priority, _id].join('.') }),
          show: (rows) => rows.map((row) => toQueued(row, waiting(row))),
        });
        const [{ entries, next }, { depth }] = await Promise.all([page, messages.backlog(caller.tenantId, device._id)]);
        return { depth, queue: entries, next_before: next?.id ?? null };
      },
    }),
    row({
      id: 'clearQueue',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/queue',
      summary: 'Cancel all waiting messages',
      audit: { action: 'queue.clear' },
      stepUp: { none: 'waiting messages are cancelled; the log keeps them' },
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: Joi.object({ ok: Joi.valid(true).required(), cancelled: Joi.number().integer().required() }),
      async run(services, { device, now }) {
        return { ok: true as const, cancelled: await cancelWaiting(services, device, now) };
      },
    }),
    row({
      id: 'getSessionHealth',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/health',
      summary: "Get a device's health",
      about: 'Get the health of the device',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession,
      status: 200,
      returns: Joi.object({
        status: Joi.string().required(),
        reason: Joi.string().allow(null).required().description('Why the device is disconnected or failed'),
        node: Joi.string().allow(null).required(),
        connected_at: Joi.number().integer().allow(null).required(),
        last_seen_at: Joi.number().integer().allow(null).required(),
        queue: Joi.object({
          depth: Joi.number().integer().required(),
          oldest_at: Joi.number().integer().allow(null).required(),
          sending_per_minute: Joi.number().integer().required(),
          warmup_until_ms: Joi.number().integer().allow(null).required(),
        }).required(),
        today: Joi.object({
          limit: Joi.number().integer().required(),
          sent: Joi.number().integer().required(),
          remaining: Joi.number().integer().required(),
          resets_at: Timestamp.required(),
        })
          .allow(null)
          .required()
          .description(
            'Number of messages that a device in warm-up can still send today. Replies count but are never delayed. null if there is no limit',
          ),
        reconnects_24h: Joi.number().integer().required(),
        restriction: Restriction.required(),
        color: Joi.string()
          .valid('green', 'yellow', 'red')
          .required()
          .description('The color at the last check, which runs every 15 minutes and after each change'),
        reasons: Joi.array()
          .items(
            Joi.object({
              what: Joi.string().required(),
              color: Joi.string().valid('yellow', 'red').required(),
              figure: Joi.number().required(),
              since: Timestamp.required(),
              advice: Joi.string().required(),
            }),
          )
          .required()
          .description('The reasons for the color, worst first'),
      }),
      async run(services, { caller, device, lang, now }) {
        const { messages } = services;
        const [{ depth, oldestAt }, perMinute, today, tenant] = await Promise.all([
          messages.backlog(caller.tenantId, device._id),
          messages.sentSince(caller.tenantId, device._id, now - MINUTE_MS),
          todayOf(services, device, now),
          services.tenants.find(device.tenant_id),
        ]);
        const sign = tenant?.health?.signs.find((one) => one.device === device._id);
        return {
          status: device.status,
          reason: device.reason,
          node: device.node,
          connected_at: device.connected_at,
          last_seen_at: device.status === 'connected' ? now : device.last_seen_at,
          queue: { depth, oldest_at: oldestAt, sending_per_minute: perMinute, warmup_until_ms: device.warmup_until_ms },
          today,
          reconnects_24h: reconnectsOf(device, now),
          restriction: restrictionAt(device, now),
          color: sign?.color ?? ('green' as const),
          reasons: (sign?.reasons ?? []).map((reason) => ({ ...reason, advice: ADVICE[reason.what][lang] })),
        };
      },
    }),
    row({
      id: 'validateNumbers',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/validate',
      summary: 'Validate phone numbers',
      about:
        'Check which of these numbers are on the network. Also accepts `<digits>@lid` and `@username`; if the number is unknown, `phone` is null and `jid` is the hidden address',
      audit: { none: 'changes nothing' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'read',
      limit: 'validate',
      params: inSession,
      body: Joi.object<{ phones: string[] }>({ phones: Joi.array().items(Joi.string().min(1).max(64)).min(1).max(50).required() }),
      status: 200,
      returns: Joi.object({
        results: Joi.array()
          .items(
            Joi.object({
              input: Joi.string().required(),
              phone: Joi.string().allow(null).required(),
              exists: Joi.boolean().required(),
              jid: Joi.string().allow(null).required(),
              readings: Readings,
            }),
          )
          .required(),
      }),
      refuses: ['NOT_CONNECTED', 'DEVICE_TIMEOUT'],
      async run(services, { caller, device, body, now }) {
        const { device: actor, personReader, lookUps } = services;
        const asking = { caller, device, now };
        const reads = await personReader.all(caller, body.phones, lookUpFor(services, asking));
        const hidden = new Map<string, boolean>();
        for (const read of reads)
          if (read.kind === 'person' && isLid(read.subject) && !hidden.has(read.subject))
            hidden.set(read.subject, await isSomebody(lookUps, asking, read.subject));
        const inputs = body.phones.map((input, nth) => ({ input, ...shownRead(at(reads, nth)) }));
        const digits = [...new Set(inputs.flatMap(({ phone }) => phone ?? []))];
        const found = new Map((await actor(device).ask({ type: 'lookUp', digits })).map((one) => [one.phone, one]));
        return {
          results: inputs.map(({ input, phone, lid, ...why }) => {
            if (lid !== null) return { input, phone: null, exists: hidden.get(lid) ?? false, jid: hidden.get(lid) ? lid : null };
            const known = phone === null ? undefined : found.get(phone);
            const jid = known?.jid ?? null;
            return { input, phone: jid === null ? phone : (phoneOf(jid) ?? phone), exists: known?.exists ?? false, jid, ...why };
          }),
        };
      },
    }),
  ],
};

async function todayOf({ tenants, days }: SessionWorkServices, device: DeviceRow, now: number) {
  const tenant = await tenants.find(device.tenant_id);
  const { warmup } = settingsOf(tenant ?? { settings: {} });
  const day = youngDay(device.linked_at ?? null, warmup.enabled ? warmup.days : null, now);
  if (!day) return null;
  const sent = await days.sent(device._id, day.name);
  return { limit: day.limit, sent, remaining: Math.max(0, day.limit - sent), resets_at: day.endsAt };
}

/** Number of reconnects in the last 24 hours. The first login is not a reconnect. */
const reconnectsOf = ({ reconnects }: DeviceRow, now: number): number =>
  Math.max(0, reconnects.filter((at) => now - at < 86_400_000).length - 1);

const isSomebody = (lookUps: UsernameLookUps, asking: Asking, lid: string): Promise<boolean> =>
  lookUps.expectSomebody(asking, lid).then(
    () => true,
    (cause) => {
      if (cause instanceof Refusal && cause.code === 'NOT_FOUND') return false;
      throw cause;
    },
  );

interface Shown {
  readonly phone: string | null;
  readonly lid: string | null;
  readonly readings?: readonly string[];
}

function shownRead(read: PersonRead): Shown {
  if (read.kind === 'person') return personIn(read.subject);
  return { phone: null, lid: null, ...(read.kind === 'ambiguous' && { readings: readingsOf(read) }) };
}
