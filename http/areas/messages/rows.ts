import Joi from 'joi';
import { invalid, invalidField, refusal } from '../../../actors/domain/refusals.ts';
import { isChannel } from '../../../actors/network/channels.ts';
import { EVERYONE } from '../../../actors/network/port.ts';
import type { ChannelService } from '../../../actors/services/channels/channel-service.ts';
import type { ConsentCheck } from '../../../actors/services/consent/check.ts';
import type { Filled, TemplateUse } from '../../../actors/services/contacts/templates.ts';
import { withSenders } from '../../../actors/services/conversations/log-names.ts';
import { beginChat } from '../../../actors/services/conversations/outbox-handler.ts';
import type { Visibility } from '../../../actors/services/conversations/visibility.ts';
import { expectAll, type Reader } from '../../../actors/services/identities/number-reader.ts';
import type { FileViewer } from '../../../actors/services/media/file-access.ts';
import type { FileWarning } from '../../../actors/services/media/file-warnings.ts';
import { isMediaType } from '../../../actors/services/media/types.ts';
import { type Accepted, keyFrom, sendOnce } from '../../../actors/services/messaging/idempotency.ts';
import { isOnTheNetwork, type MessageActionServiceDeps } from '../../../actors/services/messaging/message-actions.ts';
import type { Sending, SendOrder } from '../../../actors/services/messaging/sending.ts';
import { expectOpenWindow, type WindowDeps } from '../../../actors/services/messaging/window.ts';
import { at, present } from '../../../runtime/invariant.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import type { Windows } from '../../../store/conversations/windows.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import type { LogFilter } from '../../../store/messaging/log-filter.ts';
import { LANES, type MessageParts, type MessageRow, type Messages } from '../../../store/messaging/messages.ts';
import { type Area, type Caller, type Lang, rowsFor } from '../../core/row.ts';
import { nextPage, paging, TimeInput, Ulid } from '../../core/schemas.ts';
import { REFUSES_USERNAMES, type UsernameLookUps } from '../look-ups.ts';
import { fileViewer, type IdentityServices, inSession, resolveChatOf, viewerOf, writerOf } from '../params.ts';
import { CHANGES_MESSAGE, messageAt } from './access.ts';
import { inFull } from './action-rows.ts';
import { type AttachingServices, attach, withItsFile } from './attachments.ts';
import { addresseeFaults, faultsOfSend, ignoredIn, missingIn, overdueIn } from './checks.ts';
import { type FilledBody, officialParts, withInteractive } from './interactive.ts';
import { type PreviewingServices, previewOf } from './previews.ts';
import { LogSearch, type LogServices, readLog } from './read-log.ts';
import { ENTRY_TYPES, FullMessageSchema, MessageSchema, type SendBody, SendSchema, SentSchema, STATUSES } from './schemas.ts';
import { type Warning, warningsOf, warningsOfPreview } from './warnings.ts';

export interface OrderingServices extends AttachingServices, PreviewingServices, IdentityServices {
  /** Fails with NOT_FOUND, or with VALIDATION_FAILED if the content is empty. */
  fillTemplate(tenantId: string, from: TemplateUse, chat: string): Promise<Filled>;
  readonly windows: Windows;
  readonly labels: WindowDeps['labels'];
  readonly messages: Messages;
  readonly visibility: Visibility;
  readonly channelService: Pick<ChannelService, 'expectMayPost'>;
  readonly lookUps: UsernameLookUps;
  hashOf(text: string): string;
}

export interface MessagesServices extends OrderingServices, LogServices, Pick<MessageActionServiceDeps, 'receivedActions'> {
  readonly sending: Sending;
  readonly chats: Pick<Chats, 'find' | 'open' | 'these'>;
  readonly consentCheck: ConsentCheck;
  readonly idempotency: IdempotencyKeys;
}

const row = rowsFor<MessagesServices>();

type LogQuery = Omit<LogFilter, 'net_id'> & { wa_message_id?: string; q?: string; limit: number; before?: number; before_id?: string };

export const messages: Area<MessagesServices> = {
  name: 'messages',
  about: 'Send and read the messages of a device',
  rows: [
    row({
      id: 'sendMessage',
      direct: true,
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages',
      summary: 'Send a message',
      about: 'Send a message. The message is stored before the response is sent',
      access: 'bearer',
      ...CHANGES_MESSAGE,
      params: inSession,
      headers: ['idempotency-key'],
      body: SendSchema,
      check: missingIn,
      timely: overdueIn,
      status: 202,
      returns: SentSchema,
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'URL_BLOCKED', 'CONFLICT', 'WINDOW_CLOSED', 'RECIPIENT_OPTED_OUT', ...REFUSES_USERNAMES],
      run(services, { caller, device, body, sent, header, lang, now }) {
        const key = keyFrom(header('idempotency-key'));
        const asked = { caller, device, body, lang, now };
        if (key === undefined) return sendMessage(services, asked);
        return sendOnce(services, { key, device, request: withoutKeys(services, body, sent) }, now, (id) =>
          sendMessage(services, asked, id),
        );
      },
    }),
    row({
      id: 'listMessages',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages',
      summary: 'List the message log',
      about: 'List the message log, newest first',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession,
      query: Joi.object<LogQuery>({
        chat_id: Joi.string().max(64),
        direction: Joi.string().valid('inbound', 'outbound'),
        status: Joi.string().valid(...STATUSES),
        type: Joi.string().valid(...ENTRY_TYPES),
        wa_message_id: Joi.string().min(1).max(128).description("The network's id of a message"),
        q: LogSearch,
        since: TimeInput,
        until: TimeInput.description('Only messages before this time'),
        ...paging,
      }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ messages: Joi.array().items(MessageSchema).required(), ...nextPage }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'OVERLOADED'],
      async run(services, { caller, device, query, lang, now }) {
        const { limit, before = null, before_id = null, chat_id, wa_message_id, q, ...rest } = query;
        const known = wa_message_id !== undefined && { net_id: wa_message_id };
        const filter = { ...rest, ...known, ...(chat_id !== undefined && { chat_id: await resolveChatOf(services, caller, chat_id) }) };
        const page = { limit, before, beforeId: before_id, now };
        const visible = services.visibility.filter(viewerOf(caller), device, (entry: MessageRow) => entry.chat_id);
        return readLog(services, device, { filter, q, page, visible, reader: { lang, now } });
      },
    }),
    row({
      id: 'getMessage',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages/{messageId}',
      summary: 'Get a message',
      about: 'Get one message with all its fields and current reactions',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession.keys({ messageId: Ulid.required() }),
      status: 200,
      returns: FullMessageSchema,
      async run(services, call) {
        const [entry] = await withSenders(services.persons, call.caller.tenantId, [await messageAt(services, call)]);
        const message = present(entry, 'the entry');
        return { ...(await inFull(services, call, message)), ...warningsOfPreview(message, call.lang) };
      },
    }),
  ],
};

export interface Sent extends Accepted {
  readonly warnings?: readonly Warning[];
}

export interface AskedToSend {
  readonly caller: Caller;
  readonly device: DeviceRow;
  readonly body: SendBody;
  readonly now: number;
}

export type AskedToSendNow = AskedToSend & { readonly lang: Lang; readonly chat?: string };

export async function sendMessage(services: MessagesServices, asked: AskedToSendNow, id?: string): Promise<Sent> {
  const { caller, device, body, lang, now } = asked;
  const chat = asked.chat ?? (await chatOf(services, asked));
  await expectMayPost(services, caller, device, chat, now);
  // Checks access first, so that a caller who may not see the chat learns nothing about this person.
  await services.visibility.expectChat(viewerOf(caller), device, chat);
  const { isOptedOut } = await services.consentCheck.admit(device.tenant_id, chat, device._id);
  expectSound(body, now);
  const { order, warnings } = await orderTo(services, chat, asked, async ({ official }) => {
    if (device.official && !official?.template) await expectOpenWindow(services, device, chat, lang, now);
  });
  const accepting = services.sending.accept(device, caller.plan, id === undefined ? order : { ...order, id }, now);
  const accepted = await (body.url === undefined ? accepting : withItsFile(services, carrying(services, asked, order, id), accepting));
  if (body.connect_only === false && order.writtenBy !== undefined && !isChannel(chat)) {
    const of = { tenant_id: device.tenant_id, session_id: device._id, chat_id: chat };
    await beginChat(services.chats, { _id: accepted.id, ...of, body: order.body, created_at: now });
  }
  return {
    ...accepted,
    ...warningsOf(isOptedOut, lang, ignoredIn(body), warnings),
  };
}

/** Fails with CONFLICT, before any look-up, if the device must be connected but is not. */
export async function chatOf(services: RecipientServices, { caller, device, body, now }: AskedToSend): Promise<string> {
  if (body.connect_only !== false) expectConnected(device);
  return recipientOf(services, { caller, device, body, now });
}

/** On a retry, the stored message may have the file of an earlier call with the same id. */
function carrying({ messages }: MessagesServices, { caller: { tenantId }, body }: AskedToSendNow, order: SendOrder, id?: string) {
  const key = order.media_r2_key;
  return {
    tenantId,
    body,
    key,
    keyOf: async () => (id === undefined ? key : ((await messages.findAnywhere(tenantId, id))?.media_r2_key ?? key)),
  };
}

export async function orderFor(services: OrderingServices, asked: AskedToSend): Promise<SendOrder> {
  const { caller, device, body, now } = asked;
  expectSound(body, now);
  const chat = await recipientOf(services, asked);
  await expectMayPost(services, caller, device, chat, now);
  await services.visibility.expectChat(viewerOf(caller), device, chat);
  return (await orderTo(services, chat, asked)).order;
}

/** Only owners and admins may post in a channel; agents get FORBIDDEN. */
export function expectMayPost(
  { channelService }: Pick<OrderingServices, 'channelService'>,
  { role }: Caller,
  device: DeviceRow,
  chat: string,
  now: number,
): void | Promise<void> {
  if (!isChannel(chat)) return;
  if (role === 'agent') throw refusal('FORBIDDEN');
  return channelService.expectMayPost(device, chat, now);
}

export interface Addressed {
  readonly caller: Caller;
  readonly device: DeviceRow | null;
  readonly body: Pick<SendBody, 'chat_id' | 'recipient' | 'country_code'>;
  readonly now: number;
}

/** Resolves the recipient to a chat address. A username is looked up now and is not stored. */
export async function recipientOf(services: RecipientServices, { caller, device, body, now }: Addressed): Promise<string> {
  const [fault] = addresseeFaults(body);
  if (fault) throw invalid([fault]);
  const { recipient, chat_id = '', country_code } = body;
  if (recipient === undefined) return resolveChatOf(services, caller, chat_id, country_code);
  if ('lid' in recipient) {
    if (device) await services.lookUps.expectSomebody({ caller, device, now }, recipient.lid);
    return services.people.resolve(caller.tenantId, recipient.lid);
  }
  if (device === null) throw refusal('NOT_CONNECTED');
  return services.people.resolve(caller.tenantId, await services.lookUps.find({ caller, device, now }, recipient));
}

export type RecipientServices = IdentityServices & Pick<OrderingServices, 'lookUps'>;

/** Replaces username keys with keyed hashes, so that the keys are not stored. */
export function withoutKeys({ hashOf }: Pick<OrderingServices, 'hashOf'>, body: unknown, sent: unknown): unknown {
  const text = JSON.stringify(body);
  if (!text.includes('"recipient"')) return sent;
  return JSON.parse(JSON.stringify(sent), (name, value) => (name === 'key' && typeof value === 'string' ? hashOf(value) : value));
}

function expectSound(body: SendBody, now: number): void {
  const faults = faultsOfSend(body, now);
  if (faults.length > 0) throw invalid(faults);
}

/** `admit` may still reject the body after the template has been filled in. */
async function orderTo(
  services: OrderingServices,
  chat: string,
  { caller, device, now, ...asked }: AskedToSend,
  admit: (body: FilledBody) => Promise<void> = async () => {},
): Promise<{ readonly order: SendOrder; readonly warnings: readonly FileWarning[] }> {
  const body: FilledBody =
    asked.body.template_id === undefined
      ? withInteractive(asked.body, device)
      : await filled(services, asked.body, asked.body.template_id, { caller, device, chat });
  await admit(body);
  // Checks all other fields before downloading a file.
  const order = await orderFrom(services, body, chat, caller);
  const viewer = viewerOfFile(caller, asked.body);
  const quote = body.reply_to === undefined ? null : await quoted(services, { caller, device }, body.reply_to, chat);
  const { warnings = [], ...content }: OrderedContent & { readonly warnings?: readonly FileWarning[] } = isMediaType(body.type)
    ? await attach(services, viewer, body, now)
    : body.type === 'text'
      ? await textFrom(services, viewer, body, chat)
      : await contentFrom(services, body, caller);
  const parts = { ...content.parts, ...order.parts, ...officialParts(body, asked.body.interactive), ...(quote && { reply_to: quote._id }) };
  return { order: { ...order, quotes: quote?.net_id ?? null, ...content, parts }, warnings };
}

/** Everyone who may use a template may also use its file. */
const viewerOfFile = (caller: Caller, { template_id }: SendBody): FileViewer =>
  template_id === undefined ? fileViewer(caller) : { tenantId: caller.tenantId, sessionIds: null, agentId: null };

async function filled(
  services: OrderingServices,
  { template_id: _filled, variables, ...body }: SendBody,
  template_id: string,
  { caller, device, chat }: { readonly caller: Caller; readonly device: DeviceRow; readonly chat: string },
): Promise<FilledBody> {
  const from = await services.fillTemplate(
    caller.tenantId,
    { template_id, ...(variables && { variables }), ...(device.official && { official: device.official }) },
    chat,
  );
  // A file sent with an official template is its header, so it may be combined with the template.
  const file = from.official ? undefined : (body.media_r2_key ?? body.url);
  const own = body.body ?? body.caption ?? file;
  if (own !== undefined || from.type !== body.type) throw refusal('VALIDATION_FAILED', { field: 'template_id', reason: IN_PLACE });
  return { ...body, ...from };
}

async function textFrom(services: OrderingServices, viewer: FileViewer, body: FilledBody, chat: string): Promise<OrderedText> {
  const text = needed(body.body, 'body');
  const { unfilled = text, link_preview } = body;
  return { body: text, ...(await previewOf(services, viewer, { chat, text, unfilled, link_preview })) };
}

type OrderedText = OrderedContent & { readonly warnings: readonly FileWarning[] };

const IN_PLACE = {
  en: 'template_id cannot be combined with body, caption or a file, and type must be the type of the template',
  id: 'template_id tidak dapat digabung dengan body, caption, atau berkas, dan type harus sama dengan tipe templat',
};

export function expectConnected({ status }: DeviceRow): void {
  if (status !== 'connected') throw refusal('CONFLICT', { reason: { en: 'the device is not connected', id: 'perangkat tidak terhubung' } });
}

/** The quoted message must belong to this chat, because both people's phones must have it. */
async function quoted(
  { messages, visibility }: OrderingServices,
  { caller, device }: Pick<AskedToSend, 'caller' | 'device'>,
  id: string,
  chat: string,
): Promise<MessageRow> {
  await visibility.expectMessage(viewerOf(caller), device, id);
  const found = await messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND', { reason: 'reply_to' });
  if (found.chat_id === chat && found.message_type !== 'reaction' && isOnTheNetwork(found)) return found;
  throw refusal('VALIDATION_FAILED', { field: 'reply_to', reason: UNQUOTABLE });
}

const UNQUOTABLE = {
  en: 'reply_to must be a message of the same chat that has reached the network',
  id: 'reply_to harus berupa pesan dari percakapan yang sama yang sudah diterima jaringan',
};

type OrderedContent = Pick<SendOrder, 'body' | 'parts' | 'media_r2_key'> & Partial<Pick<SendOrder, 'message_type'>>;

async function orderFrom(
  services: OrderingServices,
  body: SendBody,
  chat: string,
  caller: Caller,
): Promise<Omit<SendOrder, 'body' | 'quotes'>> {
  return {
    chat,
    message_type: body.type,
    parts: await marksFrom(services, body, chat, readerOf(caller, body)),
    lane: LANES.reply,
    priority: body.priority ?? 0,
    ...(body.expires_at !== undefined && { expiresAt: body.expires_at }),
    ...writerOf(caller),
  };
}

const readerOf = ({ tenantId, callingCode }: Caller, { country_code }: SendBody): Reader => ({
  tenantId,
  callingCode: country_code ?? callingCode,
});

async function marksFrom({ numbers }: OrderingServices, { mentions }: SendBody, chat: string, reader: Reader): Promise<MessageParts> {
  if (mentions?.includes(EVERYONE) && !chat.endsWith('@g.us')) throw invalidField('mentions', GROUPS_ONLY);
  const people = mentions?.filter((who) => who !== EVERYONE) ?? [];
  const found = people.length === 0 ? [] : expectAll(await numbers.chats(reader, people));
  const addresses = new Map(people.map((who, nth) => [who, at(found, nth)]));
  return mentions ? { mentions: mentions.map((who) => addresses.get(who) ?? who) } : {};
}

const GROUPS_ONLY = { en: '"everyone" is only for messages to a group', id: '"everyone" hanya untuk pesan ke grup' };

async function contentFrom({ numbers }: OrderingServices, body: SendBody, caller: Caller): Promise<OrderedContent> {
  switch (body.type) {
    case 'location':
      return { body: null, parts: { location: needed(body.location, 'location') } };
    case 'contact': {
      const { name, phone } = needed(body.contact, 'contact');
      return { body: name, parts: { contact: { name, phone: await numbers.digits(readerOf(caller, body), phone) } } };
    }
    case 'poll': {
      const name = needed(body.poll_name, 'poll_name');
      return { body: name, parts: { poll: { name, choices: needed(body.choices, 'choices') } } };
    }
    default:
      throw new Error(`${body.type} is made elsewhere`);
  }
}

function needed<T>(value: T | undefined, field: string): T {
  if (value === undefined)
    throw invalidField(field, { en: `${field} is required for this type`, id: `${field} wajib diisi untuk tipe ini` });
  return value;
}
