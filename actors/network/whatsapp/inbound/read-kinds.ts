import type { ContentFields, ContentKind, ContentValue } from '../../../../store/messaging/content-kinds.ts';
import { KIND_LABELS } from '../../kind-labels.ts';
import type { Library, proto } from '../library.ts';
import { fieldIn, numberIn, unreadField } from './unknown.ts';

/**
 * Reads content beyond the basic types, such as orders, button replies and payments. Fields are
 * unverified claims by the author's phone. Unreadable content becomes `unsupported`.
 */

type Message = proto.IMessage;
type Context = proto.IContextInfo | null | undefined;

export interface ReadKind {
  readonly kind: ContentKind;
  readonly body: string;
  readonly content: ContentFields;
  readonly context?: Context;
  readonly answers?: string | null;
}

export function readKind(library: Library, message: Message, bytes: Uint8Array | null): ReadKind | null {
  return readAnswer(message) ?? readShop(message) ?? readBusiness(message) ?? readInvitation(message) ?? readRest(library, message, bytes);
}

export const viewOnce = (media: string | null): ReadKind => ({ kind: 'view_once', body: KIND_LABELS.view_once, content: { media } });

export function unsupported(library: Library, message: Message, bytes: Uint8Array | null): ReadKind | null {
  const field = unreadField(bytes ?? library.proto.Message.encode(message).finish());
  return field === null ? null : { kind: 'unsupported', body: KIND_LABELS.unsupported, content: { field } };
}

export function within(most: number, value: unknown): number {
  const number = Number(value ?? 0);
  return Math.abs(number) <= most ? number : 0;
}

const word = (value: string | null | undefined): string | null => value || null;
const lines = (...texts: readonly (string | null | undefined)[]): string => texts.filter(Boolean).join('\n');
/** Reads an amount of money. The network counts in thousandths. */
const money = (thousandths: unknown): number | null => (thousandths == null ? null : within(1e15, thousandths) / 1_000);
const seconds = (value: unknown): number | null => (value == null ? null : within(2 ** 38, value) * 1_000 || null);
const millis = (value: unknown): number | null => (value == null ? null : within(2 ** 48, value) || null);

function readAnswer({
  buttonsResponseMessage: button,
  listResponseMessage: row,
  templateButtonReplyMessage: reply,
  interactiveResponseMessage: flow,
}: Message): ReadKind | null {
  if (button) {
    const id = word(button.selectedButtonId);
    return answered('button_answer', button.selectedDisplayText || id, { id, text: word(button.selectedDisplayText) }, button.contextInfo);
  }
  if (reply) {
    const fields = { id: word(reply.selectedId), text: word(reply.selectedDisplayText), index: reply.selectedIndex ?? null };
    return answered('button_answer', fields.text ?? fields.id, fields, reply.contextInfo);
  }
  if (row) {
    const id = word(row.singleSelectReply?.selectedRowId);
    const fields = { id, title: word(row.title), description: word(row.description) };
    return answered('list_answer', row.title || id, fields, row.contextInfo);
  }
  if (!flow) return null;
  const { name, paramsJson } = flow.nativeFlowResponseMessage ?? {};
  const params = parsed(paramsJson);
  const id = typeof params?.['id'] === 'string' ? params['id'] : null;
  const fields = { id, text: word(flow.body?.text), name: word(name), params: params ?? word(paramsJson) };
  return answered('button_answer', fields.text ?? id ?? fields.name, fields, flow.contextInfo);
}

const answered = (kind: ContentKind, body: string | null, content: ContentFields, context: Context): ReadKind => ({
  kind,
  body: body ?? '',
  content,
  context,
});

const LONGEST_PARAMS = 65_536;

function parsed(json: string | null | undefined): ContentFields | null {
  if (!json || json.length > LONGEST_PARAMS) return null;
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

const isFields = (value: unknown): value is ContentFields => typeof value === 'object' && value !== null && !Array.isArray(value);

const ORDER_STATUS: Readonly<Record<number, string>> = { 1: 'inquiry', 2: 'accepted', 3: 'declined' };

function readShop({ orderMessage: order, productMessage: product }: Message): ReadKind | null {
  if (order) {
    const content = {
      ...{ order_id: word(order.orderId), items: order.itemCount ?? null, status: ORDER_STATUS[Number(order.status ?? 0)] ?? null },
      ...{ title: word(order.orderTitle), message: word(order.message), seller: word(order.sellerJid), token: word(order.token) },
      ...{ total: money(order.totalAmount1000), currency: word(order.totalCurrencyCode) },
    };
    return { kind: 'order', body: content.message ?? content.title ?? KIND_LABELS.order, content, context: order.contextInfo };
  }
  if (!product) return null;
  const content = { ...productFields(product), body: word(product.body), footer: word(product.footer) };
  return { kind: 'product', body: content.body ?? content.title ?? KIND_LABELS.product, content, context: product.contextInfo };
}

export function productFields({ product, businessOwnerJid }: proto.Message.IProductMessage) {
  return {
    ...{ product_id: word(product?.productId), title: word(product?.title), description: word(product?.description) },
    ...{ price: money(product?.priceAmount1000), sale_price: money(product?.salePriceAmount1000), currency: word(product?.currencyCode) },
    ...{ retailer_id: word(product?.retailerId), url: word(product?.url), seller: word(businessOwnerJid) },
  };
}

interface Button {
  readonly [name: string]: ContentValue;
}

const button = (text: string | null | undefined, more: Button = {}): Button => ({ text: word(text), ...more });

function readBusiness(message: Message): ReadKind | null {
  const { listMessage: list, buttonsMessage: buttons, interactiveMessage: interactive } = message;
  const template = message.templateMessage ?? message.highlyStructuredMessage?.hydratedHsm;
  if (template) return readTemplate(template);
  if (message.highlyStructuredMessage) {
    const { elementName, params } = message.highlyStructuredMessage;
    const content = { name: word(elementName), params: params ?? [] };
    return { kind: 'template', body: lines(...content.params) || content.name || KIND_LABELS.template, content };
  }
  if (list) {
    const rows = (list.sections ?? []).flatMap((section) => section.rows ?? []);
    const content = {
      ...{ title: word(list.title), body: word(list.description), footer: word(list.footerText), button: word(list.buttonText) },
      buttons: rows.map(({ rowId, title, description }) => button(title, { id: word(rowId), description: word(description) })),
    };
    return shown('interactive', content, list.contextInfo);
  }
  if (buttons) {
    const content = {
      ...{ title: word(buttons.text), body: word(buttons.contentText), footer: word(buttons.footerText) },
      buttons: (buttons.buttons ?? []).map(({ buttonId, buttonText }) => button(buttonText?.displayText, { id: word(buttonId) })),
    };
    return shown('interactive', content, buttons.contextInfo);
  }
  return interactive ? readInteractive('interactive', interactive) : null;
}

interface Parts {
  readonly [name: string]: ContentValue;
  readonly title: string | null;
  readonly body: string | null;
  readonly footer: string | null;
}

const shown = (kind: ContentKind, content: Parts, context: Context): ReadKind => ({
  kind,
  body: lines(content.title, content.body, content.footer) || KIND_LABELS.interactive,
  content,
  context,
});

function readTemplate(template: proto.Message.ITemplateMessage): ReadKind {
  const { hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate: interactive, contextInfo } = template;
  if (interactive) return readInteractive('template', interactive);
  const rows = hydratedTemplate ?? hydratedFourRowTemplate;
  const content = {
    title: word(rows?.hydratedTitleText),
    body: word(rows?.hydratedContentText),
    footer: word(rows?.hydratedFooterText),
    buttons: (rows?.hydratedButtons ?? []).map(({ quickReplyButton: reply, urlButton: url, callButton: call }) =>
      button((reply ?? url ?? call)?.displayText, {
        ...(reply && { id: word(reply.id) }),
        ...(url && { url: word(url.url) }),
        ...(call && { phone: word(call.phoneNumber) }),
      }),
    ),
  };
  return shown('template', content, contextInfo);
}

function readInteractive(kind: ContentKind, message: proto.Message.IInteractiveMessage): ReadKind {
  const { header, body, footer, nativeFlowMessage, carouselMessage, contextInfo } = message;
  const content = {
    title: word(header?.title ?? header?.subtitle),
    body: word(body?.text),
    footer: word(footer?.text),
    buttons: (nativeFlowMessage?.buttons ?? []).map(({ name, buttonParamsJson }) => {
      const params = parsed(buttonParamsJson);
      const text = params?.['display_text'];
      return button(typeof text === 'string' ? text : null, { name: word(name), params: params ?? word(buttonParamsJson) });
    }),
    cards: (carouselMessage?.cards ?? []).map((card) => ({ title: word(card.header?.title), body: word(card.body?.text) })),
  };
  const cards = content.cards.map((card) => lines(card.title, card.body));
  return { ...shown(kind, content, contextInfo), ...(!content.body && cards.length > 0 && { body: lines(content.title, ...cards) }) };
}

function readInvitation(message: Message): ReadKind | null {
  const { groupInviteMessage: group, newsletterAdminInviteMessage: channel, eventMessage: event } = message;
  const { scheduledCallCreationMessage: call, bcallMessage: broadcast } = message;
  if (group) {
    const content = {
      ...{ group_id: word(group.groupJid), code: word(group.inviteCode), name: word(group.groupName), caption: word(group.caption) },
      expires_at: seconds(group.inviteExpiration),
    };
    return { kind: 'group_invite', body: content.caption ?? content.name ?? KIND_LABELS.group_invite, content, context: group.contextInfo };
  }
  if (channel) {
    const content = {
      ...{ channel_id: word(channel.newsletterJid), name: word(channel.newsletterName), caption: word(channel.caption) },
      expires_at: seconds(channel.inviteExpiration),
    };
    return {
      kind: 'channel_invite',
      body: content.caption ?? content.name ?? KIND_LABELS.channel_invite,
      content,
      context: channel.contextInfo,
    };
  }
  if (event) return readEvent(event);
  if (call) {
    const content = { title: word(call.title), at: millis(call.scheduledTimestampMs), video: Number(call.callType ?? 0) === 2, url: null };
    return { kind: 'call_link', body: content.title ?? KIND_LABELS.call_link, content };
  }
  if (!broadcast) return null;
  const content = { title: word(broadcast.caption), at: null, video: Number(broadcast.mediaType ?? 0) === 2, url: null };
  return { kind: 'call_link', body: content.title ?? KIND_LABELS.call_link, content };
}

function readEvent(event: proto.Message.IEventMessage): ReadKind {
  const content = {
    ...{ name: word(event.name), description: word(event.description), url: word(event.joinLink) },
    ...{ starts_at: seconds(event.startTime), ends_at: seconds(event.endTime), canceled: event.isCanceled === true },
    ...{ call: event.isScheduleCall === true },
    location: event.location ? { name: word(event.location.name), address: word(event.location.address) } : null,
  };
  return { kind: 'event', body: lines(content.name, content.description) || KIND_LABELS.event, content, context: event.contextInfo };
}

function readRest({ proto: { Message: M } }: Library, message: Message, bytes: Uint8Array | null): ReadKind | null {
  const { commentMessage: comment, stickerPackMessage: pack } = message;
  if (comment) {
    const { conversation, extendedTextMessage } = comment.message ?? {};
    const target = word(comment.targetMessageKey?.id);
    return { kind: 'comment', body: conversation ?? extendedTextMessage?.text ?? '', content: { target }, answers: target };
  }
  const reply = message.questionResponseMessage ?? message.statusQuestionAnswerMessage;
  if (reply) {
    const target = word(reply.key?.id);
    return { kind: 'comment', body: reply.text ?? '', content: { target }, answers: target };
  }
  if (pack) {
    const content = {
      name: word(pack.name),
      publisher: word(pack.publisher),
      caption: word(pack.caption),
      stickers: pack.stickers?.length ?? 0,
    };
    return { kind: 'sticker_pack', body: content.caption ?? content.name ?? KIND_LABELS.sticker_pack, content, context: pack.contextInfo };
  }
  const paid = readPayment(message);
  if (paid) return paid;
  const snapshot = bytes && (fieldIn(bytes, 115) ?? fieldIn(bytes, 114));
  const result =
    message.pollResultSnapshotMessage ??
    message.pollResultSnapshotMessageV3 ??
    (snapshot ? M.PollResultSnapshotMessage.decode(snapshot) : null);
  if (result) return readPollResult(result);
  return readSystem(message) ?? (bytes && readNumbered(bytes));
}

function readPollResult({ name, pollVotes, contextInfo }: proto.Message.IPollResultSnapshotMessage): ReadKind {
  const options = (pollVotes ?? []).map(({ optionName, optionVoteCount }) => ({
    name: optionName ?? '',
    count: within(2 ** 40, optionVoteCount),
  }));
  const counts = options.map((option) => `${option.name}: ${option.count}`);
  const content = { event: 'poll_result', name: word(name), options };
  return { kind: 'system', body: lines(name || 'Poll result', ...counts), content, context: contextInfo };
}

const noteOf = (note: Message | null | undefined): string | null => word(note?.conversation ?? note?.extendedTextMessage?.text);

function readPayment(message: Message): ReadKind | null {
  const { sendPaymentMessage: sent, requestPaymentMessage: asked, invoiceMessage: invoice, paymentInviteMessage: invite } = message;
  const about = { amount: null, currency: null, note: null, expires_at: null };
  if (asked) {
    const amount = money(asked.amount1000);
    const currency = word(asked.currencyCodeIso4217);
    const note = noteOf(asked.noteMessage);
    const fields = { action: 'requested', ...about, amount, currency, note, expires_at: seconds(asked.expiryTimestamp) };
    const sum = amount === null ? 'Payment requested' : `Payment requested: ${[currency, amount].filter((one) => one !== null).join(' ')}`;
    return { kind: 'payment', body: lines(sum, note), content: fields };
  }
  if (sent) {
    const note = noteOf(sent.noteMessage);
    return { kind: 'payment', body: lines('Says that they paid', note), content: { action: 'sent', ...about, note } };
  }
  if (invoice) {
    const note = word(invoice.note);
    return { kind: 'payment', body: lines('Invoice', note), content: { action: 'invoice', ...about, note } };
  }
  if (invite) {
    const fields = { action: 'invited', ...about, expires_at: seconds(invite.expiryTimestamp) };
    return { kind: 'payment', body: 'Invites you to payments', content: fields };
  }
  if (message.declinePaymentRequestMessage)
    return { kind: 'payment', body: 'Declined a payment request', content: { action: 'declined', ...about } };
  if (message.cancelPaymentRequestMessage)
    return { kind: 'payment', body: 'Cancelled a payment request', content: { action: 'cancelled', ...about } };
  return null;
}

const CALL_OUTCOMES = ['connected', 'missed', 'failed', 'rejected', 'accepted_elsewhere', 'ongoing', 'silenced', 'silenced'] as const;

function readSystem(message: Message): ReadKind | null {
  const { callLogMesssage: log } = message;
  if (log) {
    const outcome = CALL_OUTCOMES[Number(log.callOutcome ?? 0)] ?? null;
    const fields = { event: 'call_log', video: log.isVideo === true, outcome, seconds: within(2 ** 31, log.durationSecs) };
    return {
      kind: 'system',
      body: `${fields.video ? 'Video call' : 'Voice call'}${outcome ? `: ${outcome.replace('_', ' ')}` : ''}`,
      content: fields,
    };
  }
  if (message.richResponseMessage) {
    const texts = (message.richResponseMessage.submessages ?? []).map(({ messageText }) => messageText);
    return { kind: 'system', body: lines(...texts) || 'Answer of an AI', content: { event: 'ai_answer' } };
  }
  for (const [name, event, body] of SYSTEM) if (message[name]) return { kind: 'system', body, content: { event } };
  const channel = message.newsletterFollowerInviteMessageV2;
  if (!channel) return null;
  const content = { event: 'channel_follower_invite', channel_id: word(channel.newsletterJid), name: word(channel.newsletterName) };
  return { kind: 'system', body: lines('Invites you to a channel', channel.caption ?? channel.newsletterName), content };
}

const SYSTEM = [
  ['requestPhoneNumberMessage', 'number_requested', 'Asks for your phone number'],
  ['limitSharingMessage', 'limit_sharing', 'Changed who may share this chat'],
  ['call', 'call', 'Call'],
  ['statusNotificationMessage', 'status', 'Notice about a status'],
  ['messageHistoryNotice', 'history', 'Shared earlier messages'],
  ['statusQuotedMessage', 'status_quoted', 'Quoted a status'],
  ['statusStickerInteractionMessage', 'status_sticker', 'Reacted to a status with a sticker'],
] as const;

const textIn = (bytes: Uint8Array, field: number): string | null => {
  const text = fieldIn(bytes, field);
  return text ? word(Buffer.from(text).toString('utf8')) : null;
};

/** Reads kinds that the library does not define yet: event invitations and payments. */
function readNumbered(bytes: Uint8Array): ReadKind | null {
  const event = fieldIn(bytes, 122);
  if (event) {
    const content = {
      ...{ event_id: textIn(event, 2), name: textIn(event, 3), description: textIn(event, 6), url: textIn(event, 9) },
      ...{ starts_at: seconds(numberIn(event, 5)), ends_at: seconds(numberIn(event, 8)), canceled: numberIn(event, 7) === 1 },
    };
    return { kind: 'event', body: lines(content.name, content.description) || KIND_LABELS.event, content };
  }
  for (const [field, action, body] of PAYMENTS) if (fieldIn(bytes, field)) return { kind: 'payment', body, content: { action } };
  return null;
}

const PAYMENTS = [
  [124, 'reminded', 'Reminds you of a payment'],
  [125, 'split', 'Splits a payment'],
  [128, 'split_changed', 'Changed a split payment'],
] as const;
