import Joi from 'joi';
import { CURRENCIES } from '../../../actors/domain/billing/money.ts';
import { CALL_OUTCOMES } from '../../../actors/network/calls.ts';
import type { EventType } from '../../../actors/services/events/types.ts';
import type { StreamOnly } from '../../../actors/services/live/types.ts';
import { DELETED_KINDS, EXPORT_KINDS } from '../../../actors/services/security/notice-of.ts';
import type { EventFacts } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { AiPausedSchema } from '../ai-reply/schemas.ts';
import { CHANNEL_EVENTS } from '../channels/schemas.ts';
import { GROUP_EVENTS } from '../groups/event-schemas.ts';
import { BESIDE, Person as NamedPerson } from '../messages/content-schemas.ts';
import { ACCOUNT_EVENTS } from '../network-account/event-schemas.ts';
import { HealthColorSchema, HealthReasonSchema } from '../operator/health-schemas.ts';
import { NetworkCode, ReasonUntil, Restriction, SessionReason } from '../sessions/schemas.ts';
import { address, Digits } from './address.ts';
import { CHAT_EVENTS } from './chat-events.ts';
import { OFFICIAL_EVENTS } from './official-events.ts';

const count = Joi.number().integer().min(0).required().example(12);
const Username = Joi.string()
  .allow(null)
  .required()
  .description('The username of the person, without `@`; null if not known')
  .example(null);

const Person = Joi.object({ ...address, username: Username, name: Joi.string().allow(null, '').required().example('Budi') })
  .allow(null)
  .required()
  .meta({ title: 'EventPerson' });

const message = {
  message_id: Ulid.required(),
  wa_message_id: Joi.string()
    .allow(null)
    .required()
    .description("The network's id; null if the message never reached the network")
    .example('3EB0C431C26A1916E07A'),
  ...address,
  direction: Joi.string().valid('inbound', 'outbound').required().example('outbound'),
  message_type: Joi.string().required().example('text'),
};

const status = (...values: string[]): Joi.StringSchema =>
  Joi.string()
    .valid(...values)
    .required();

const Known = Joi.number().min(0).allow(null).required();

const File = Joi.object({
  key: Joi.string()
    .allow(null)
    .required()
    .description('Key for `GET /v1/media/{key}`; null if the file is still on the network, where `GET …/messages/{id}/media` fetches it'),
  content_type: Joi.string().required().example('image/jpeg'),
  size: Joi.number().integer().min(0).required().unit('bytes'),
  filename: Joi.string().allow(null).required(),
  seconds: Known,
  width: Known,
  height: Known,
})
  .description('The file, if the message has one')
  .meta({ title: 'EventMedia' });

const Text = Joi.string().allow(null, '').required().example('Hello!');
const Reason = Joi.string().required();

const Actor = Joi.object({
  kind: Joi.string().required().description('`owner`, `agent`, `key`, `operator` or `system`').example('owner'),
  id: Joi.string().allow(null).required(),
  name: Joi.string().allow(null).required().example('Toko Acme'),
})
  .required()
  .meta({ title: 'EventActor' });

const Security = Joi.object({
  audit_id: Ulid.required().description('The entry of the audit log'),
  action: Joi.string().required().example('key.create'),
  actor: Actor,
  address: Joi.string().allow(null).required().example('203.0.113.7'),
  target_id: Joi.string().allow(null).required(),
}).meta({ title: 'SecurityNotice' });

const invoice = {
  invoice_id: Ulid.required(),
  plan: Joi.string().required().example('pro'),
  amount: Joi.number().integer().required().description('Minor units of the currency').example(499_000),
  currency: Joi.string()
    .valid(...CURRENCIES)
    .required(),
};

const InvoiceNotice = Joi.object(invoice).meta({ title: 'InvoiceNotice' });

const PeriodEnd = Timestamp.allow(null).required().description('When the plan ends; null if it has no end');
const blast = { blast_id: Ulid.required() };
const counts = { ...blast, sent: count, failed: count, skipped: count };

const CATALOGUE: Readonly<Record<EventType | StreamOnly['type'], { readonly about: string; readonly data: Joi.ObjectSchema }>> = {
  'message.received': {
    about: 'A message arrived on a device',
    data: Joi.object({
      ...message,
      direction: status('inbound'),
      body: Text,
      sender: Person,
      reply_to: Ulid.allow(null).description('The quoted message; null if there is none or it is not in the log'),
      mentions: Joi.array().items(NamedPerson).description('People who are mentioned in the text'),
      ...BESIDE,
      media: File,
    }),
  },
  'message.sent': {
    about: 'The network accepted an outgoing message',
    data: Joi.object({
      ...message,
      status: status('sent'),
      media: File,
      from_phone: Joi.valid(true).description('True if the owner of the number wrote it on the phone or on another linked device'),
      body: Joi.string().allow(null, '').description('Only for messages that were written on the phone').example('We open at 9'),
      sent_by: Joi.object({
        kind: status('phone'),
        id: Joi.valid(null).required(),
        name: Joi.valid(null).required(),
      })
        .description('Only for messages that were written on the phone')
        .meta({ title: 'EventSentBy' }),
    }),
  },
  'message.failed': {
    about: 'An outgoing message could not be sent',
    data: Joi.object({ ...message, status: status('failed'), media: File, error: Reason.allow(null).example('not_on_network') }),
  },
  'session.connected': {
    about: 'A device came online',
    data: Joi.object({ phone_number: Digits, wa_name: Joi.string().allow(null, '').required().example('Toko Acme') }),
  },
  'session.disconnected': {
    about:
      'A device went offline, or the network refused its login. A login that is refused again for the same reason is not reported again',
    data: Joi.object({
      reason: Reason.description('`logged_out`, `banned` or `status_<code>`; `status_0` without a code').example('status_405'),
      cause: SessionReason.required(),
      code: NetworkCode.required(),
      until: ReasonUntil.required(),
    }),
  },
  'session.alert': {
    about: 'A device has been offline for more than five minutes',
    data: Joi.object({
      type: status('offline'),
      message: Reason.description('An explanation in the language of the business').example(
        'The device has been offline for more than 5 minutes',
      ),
      disconnected_since: Timestamp.required(),
      duration_ms: Joi.number().integer().min(0).required().example(300_000),
    }),
  },
  'qr.generated': {
    about: 'A new QR code is ready to scan',
    data: Joi.object({ qr: Reason.example('2@m5Zr…'), expires_at: Timestamp.required() }),
  },
  'message.delivered': { about: 'An outgoing message reached the phone', data: Joi.object({ ...message, status: status('delivered') }) },
  'message.read': { about: 'An outgoing message was read', data: Joi.object({ ...message, status: status('read') }) },
  'message.reaction': {
    about: 'Someone reacted to a message, or removed the reaction',
    data: Joi.object({
      ...message,
      message_type: status('reaction'),
      emoji: Text.description('Empty if the reaction was removed').example('👍'),
      target: Joi.object({ message_id: Ulid.allow(null).required(), wa_message_id: Joi.string().allow('').required() })
        .meta({ title: 'ReactionTarget' })
        .required(),
      target_wa_message_id: Joi.string().allow('').required().description('The same as `target.wa_message_id`'),
      sender: Person,
    }),
  },
  'message.edited': { about: 'The text of a message was edited', data: Joi.object({ ...message, body: Text }) },
  'message.deleted': {
    about: 'A message was deleted for everyone',
    data: Joi.object({ ...message, status: Joi.string().required().example('deleted') }),
  },
  'poll.vote': {
    about: 'Someone voted in a poll; `choices` are all of their current choices',
    data: Joi.object({
      message_id: Ulid.allow(null).required(),
      wa_message_id: Joi.string().required(),
      ...address,
      choices: Joi.array().items(Joi.string()).required().example(['Friday']),
      voter: Person,
    }),
  },
  'call.received': {
    about: 'Someone is calling a device. A call to the members of a group has a `group_id`',
    data: Joi.object({
      call_id: Joi.string().required(),
      ...address,
      video: Joi.boolean().required().example(false),
      group_id: Joi.string().allow(null).required().example(null),
      caller: Person,
    }),
  },
  'call.ended': {
    about:
      'The state of a call changed: `answered` on the phone; `ended` after it was answered; `missed`; `rejected` on the phone or by the gateway',
    data: Joi.object({
      call_id: Joi.string().required(),
      ...address,
      caller: Person,
      outcome: Joi.string()
        .valid(...CALL_OUTCOMES)
        .required(),
      duration_ms: Joi.number().integer().min(0).allow(null).required().description('Duration of an answered call, if known').example(null),
    }),
  },
  'consent.changed': {
    about: 'A person opted in or out',
    data: Joi.object({
      ...address,
      status: status('opted_in', 'opted_out'),
      previous: Joi.string().valid('opted_in', 'opted_out').allow(null).required(),
      source: Joi.string().required().example('keyword'),
    }),
  },
  'contact.merged': {
    about: 'Two contacts turned out to be one person and were merged: `into` keeps the data of both, and `contact_id` no longer exists',
    data: Joi.object({
      contact_id: Ulid.required(),
      into: Ulid.required(),
      numbers: Joi.object({
        phones: Joi.array().items(Joi.string()).required().example(['5215512345678', '525512345678']),
        lids: Joi.array().items(Joi.string()).required().example([]),
      })
        .required()
        .description('All numbers and addresses of the person; the first number is the main one'),
      chat_ids: Joi.array()
        .items(Joi.string())
        .required()
        .description('Addresses of the merged chats; the first one remains')
        .example(['5215512345678@s.whatsapp.net', '525512345678@s.whatsapp.net']),
    }),
  },
  ...CHAT_EVENTS,
  'session.restricted': {
    about: 'The network started or stopped limiting first contacts of a device',
    data: Joi.object({ restriction: Restriction.allow(null).required() }),
  },
  'session.passkey': {
    about: 'The network asks for a passkey to link a device',
    data: Joi.object({ step: status('passkey', 'passkey_confirm') }),
  },
  ...OFFICIAL_EVENTS,
  ...GROUP_EVENTS,
  ...ACCOUNT_EVENTS,
  ...CHANNEL_EVENTS,
  'store.event': {
    about: 'A connected store reported an order or a checkout',
    data: Joi.object({
      integration_id: Ulid.required(),
      topic: Joi.string().required().example('orders/create'),
      outcome: Joi.string().required().example('sent'),
      ref: Joi.string().allow(null).required().description('Order number or checkout').example('#1001'),
    }),
  },
  'quota.warning': {
    about: 'Usage of the monthly quota, or of the free messages or paid replies of an official number, reached 80 or 100 percent',
    data: Joi.object({
      level: Joi.number().valid(80, 100).required(),
      used: count.example(800, { override: true }),
      limit: count.example(1_000, { override: true }),
      month: Joi.string().required().example('2026-11'),
      plan: Joi.string().required().example('free'),
      session_id: Ulid.description('The official number; absent for the quota of the plan'),
    }),
  },
  'invoice.paid': { about: 'An invoice was paid', data: Joi.object({ ...invoice, period_end: PeriodEnd }) },
  'invoice.refunded': { about: 'A payment was refunded', data: InvoiceNotice },
  'invoice.disputed': { about: 'A payment is disputed', data: InvoiceNotice },
  'plan.changed': {
    about: 'The plan changed',
    data: Joi.object({
      plan: Joi.string().required().example('pro'),
      previous: Joi.string().required().example('free'),
      period_end: PeriodEnd,
    }),
  },
  'ai.paused': {
    about: 'AI replies were paused in a chat for a day, because another bot seems to be answering there',
    data: AiPausedSchema,
  },
  'privacy.erased': {
    about: 'The data of a person was erased',
    data: Joi.object({ request_id: Ulid.required(), phone_hash: Joi.string().required().description('A keyed hash of the number') }),
  },
  'audit.head': {
    about: 'The latest entry of the audit log, so that you can keep a copy elsewhere',
    data: Joi.object({ seq: count, mac: Joi.string().required() }),
  },
  'health.changed': {
    about: 'The health color of a device changed',
    data: Joi.object({
      color: HealthColorSchema.required(),
      former: HealthColorSchema.required(),
      reasons: Joi.array().items(HealthReasonSchema).required(),
    }),
  },
  'security.sign_in': { about: 'Someone signed in from a new address', data: Security },
  'security.key_created': { about: 'An API key was created or replaced', data: Security },
  'security.webhook_created': { about: 'A webhook was created, or its address or secret was changed', data: Security },
  'security.two_factor_changed': { about: 'Two-factor sign-in or a passkey changed', data: Security },
  'security.access_changed': {
    about:
      'Someone got more access, or a protection was removed: a key got more rights, an agent was added, moved or activated, a device got another proxy, ' +
      'a store was connected or got another secret or device, a browser was subscribed, a consent check was turned off, or data is kept for less time',
    data: Joi.object({
      action: Joi.string().required().description('As in the audit log').example('agent.create'),
      target: Joi.object({ kind: Joi.string().required().example('agent'), id: Joi.string().allow(null).required() }).required(),
      by: Actor,
    }),
  },
  'security.data_exported': {
    about: 'Data was exported or downloaded',
    data: Joi.object({
      kind: status(...EXPORT_KINDS).example('contacts'),
      id: Joi.string().allow(null).required().description('The id of the export, the campaign or the group; null if none applies'),
      by: Actor,
    }),
  },
  'security.data_deleted': {
    about: 'A device, the account or the data of a person was deleted',
    data: Joi.object({ kind: status(...DELETED_KINDS).example('device'), by: Actor }),
  },
  'webhook.test': {
    about: 'A test of a webhook',
    data: Joi.object({ webhook_id: Ulid.required(), message: Reason.example('This is a test: the webhook works') }),
  },
  'blast.progress': { about: 'A campaign made progress. Live stream only', data: Joi.object({ ...counts, total: count }) },
  'blast.waiting': {
    about: 'A campaign is waiting for its send window. Live stream only',
    data: Joi.object({ ...blast, resumes_at: Timestamp.required() }),
  },
  'blast.paused': { about: 'A campaign was paused. Live stream only', data: Joi.object({ ...blast, reason: Reason.example('requested') }) },
  'blast.completed': { about: 'A campaign ended. Live stream only', data: Joi.object(counts) },
  'chat.presence': {
    about: 'Someone started or stopped typing or recording. Only on live streams that request it, while the device appears online',
    data: Joi.object({ ...address, state: status('composing', 'recording', 'paused').example('composing') }),
  },
  'scheduled.sent': {
    about: 'A scheduled message was sent. Live stream only',
    data: Joi.object({ scheduled_id: Ulid.required(), message_id: Ulid.required() }),
  },
  'recurring.executed': {
    about: 'A run of a recurring message ended. Live stream only',
    data: Joi.object({ recurring_id: Ulid.required(), sent: count, failed: count, next_run_at: Timestamp.allow(null).required() }),
  },
};

export const EVENT_FACTS: readonly EventFacts[] = Object.entries(CATALOGUE).map(([type, { about, data }]) => ({ type, about, data }));

interface Emitted {
  readonly type: string;
  readonly data: unknown;
}

/** For tests. Throws in a microtask, so that the test fails and not the code that records events. */
export function expectDocumentedEvents(events: readonly Emitted[]): void {
  for (const event of events) queueMicrotask(() => expectDocumented(event));
}

function expectDocumented({ type, data }: Emitted): void {
  const facts = EVENT_FACTS.find((one) => one.type === type);
  const { error } = facts?.data.validate(JSON.parse(JSON.stringify(data)), { convert: false }) ?? { error: new Error('it is not listed') };
  if (error) throw new Error(`the event ${type} is not what is documented: ${error.message}`);
}
