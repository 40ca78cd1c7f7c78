import Joi from 'joi';
import { invalidField, refusal } from '../../../actors/domain/refusals.ts';
import type { Contact } from '../../../actors/services/contacts/contacts.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { FullChat } from '../../areas/conversations/schemas.ts';
import { VariablesSchema } from '../../areas/messages/official-schemas.ts';
import type { Session } from '../../areas/sessions/schemas.ts';
import type { Template } from '../answers.ts';
import type { Fields } from '../messages.ts';
import { phoneOf, shortened, when } from '../shown.ts';
import { type ToolCall, tool } from '../tool.ts';
import { consentOf, contactOf, given, shownDevice } from './reading.ts';

interface SendArgs {
  readonly to: string;
  readonly body?: string;
  readonly template_id?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly session_id?: string;
  readonly send_at?: number;
  readonly idempotency_key: string;
  readonly confirmation?: string;
}

const PEOPLE_ONLY = {
  en: 'an assistant can only write to one person, not to groups or channels',
  id: 'asisten hanya dapat mengirim pesan kepada satu orang, bukan ke grup atau saluran',
};
const STRANGER = {
  en: 'this person is not a contact and has never written: an assistant can write only to known people',
  id: 'orang ini bukan kontak dan belum pernah mengirim pesan: asisten hanya dapat mengirim pesan kepada orang yang dikenal',
};
const JUST_SAVED = {
  en: 'this person was saved less than a day ago and has never written: a user must send the first message, or use an assistant that can show a form',
  id: 'orang ini disimpan kurang dari sehari yang lalu dan belum pernah mengirim pesan: pesan pertama harus dikirim oleh pengguna, atau gunakan asisten yang dapat menampilkan formulir',
};
const NO_DEVICE = { en: 'no device is connected', id: 'tidak ada perangkat yang terhubung' };
const TEXTS_ONLY = { en: 'the template must be a text template', id: 'templat harus berupa teks' };
const OFFICIAL_ONLY = { en: 'only official templates have variables', id: 'hanya templat resmi yang memiliki variabel' };
const OFFICIAL_NOW = { en: 'an official template cannot be scheduled', id: 'templat resmi tidak dapat dijadwalkan' };
const MISSING = { en: 'this variable has no value', id: 'variabel ini belum punya nilai' };
const NO_TOKENS = { en: 'enter the value itself, without tokens', id: 'tulis nilainya langsung, tanpa token' };
const EMPTY = { en: 'the template has no text for this person', id: 'templat tidak memiliki teks untuk orang ini' };

export const sendMessage = tool({
  name: 'send_message',
  title: 'Send a message',
  description:
    'Send one text to one person, now or at send_at. The person who uses this assistant must confirm it first. Refused for people who opted out. Repeating an idempotency_key does not send another message.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  args: Joi.object<SendArgs, true>({
    to: Joi.string().min(1).max(64).required().description('+62… or a chat_id'),
    body: Joi.string().min(1).max(4_096),
    template_id: Joi.string().max(26),
    variables: VariablesSchema.description('Official templates: all values'),
    session_id: Joi.string().max(26).description("Sending device; default: the chat's"),
    send_at: Joi.number().integer().min(0).description('Unix ms'),
    idempotency_key: Joi.string()
      .pattern(/^[!-~]+$/)
      .max(200)
      .required(),
    confirmation: Joi.string().max(100).description('The token that an earlier call returned'),
  }),
  needs: ['listSessions', 'getChat', 'sendMessage', 'scheduleMessage'],
  async run(call, args) {
    expectOneText(args);
    const chat = await call.numbers.chat(call.caller, args.to);
    if (!/@(s\.whatsapp\.net|lid)$/.test(chat)) throw refusal('FORBIDDEN', { reason: PEOPLE_ONLY });
    const { device, name } = await wayTo(call, chat, args.session_id);
    const phone = phoneOf(chat);
    if ((await consentOf(call, phone ?? chat)) === 'opted_out') throw refusal('RECIPIENT_OPTED_OUT');
    const template = args.template_id === undefined ? null : await call.ask('getTemplate', { params: { id: args.template_id } });
    const text = args.body ?? (template?.official ? officialText(template, args) : await textOf(call, args, template, phone));
    const preview = {
      to: { chat_id: chat, phone, name },
      text,
      device: shownDevice(device),
      ...(template?.official && { template: { id: template.id, name: template.name } }),
      ...(args.send_at !== undefined && when('send_at', args.send_at, call.caller.plan.zone)),
      idempotency_key: args.idempotency_key,
    };
    const asked = call.confirm({ preview, question: questionOf(preview), token: args.confirmation });
    if (asked) return asked;
    await call.countSend();
    return {
      told: {
        sent: true,
        ...(await send(call, { chat, device, text, args, isOfficial: Boolean(template?.official) })),
        to: preview.to,
        text: shortened(text),
      },
    };
  },
});

const LONGEST_NAME = 60;

/** Removes control characters and line breaks, because a name could alter the confirmation question. */
const nameLine = (name: string | null): string | null =>
  name
    ?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .toWellFormed() || null;

const questionOf = ({ to, text, device, ...rest }: { to: Fields; text: string; device: Fields } & Fields): string =>
  `Send this message to ${to['phone'] ?? to['chat_id']} (${to['name'] === null ? 'no name' : `"${to['name']}"`}) from ${device['name'] ?? device['phone']}${
    'send_at_local' in rest ? ` at ${rest['send_at_local']}` : ''
  }?\n\n${text}`;

const ONE_TEXT = { en: 'send either body or template_id', id: 'kirim salah satu: body atau template_id' };

/**
 * Checked here rather than in the schema, because model providers do not accept alternatives at a
 * schema's top level.
 */
export function expectOneText({ body, template_id }: { readonly body?: string; readonly template_id?: string }): void {
  if ((body === undefined) === (template_id === undefined)) throw invalidField('body', ONE_TEXT);
}

/**
 * Rejects contacts saved within the last day, because a model could otherwise save a person and
 * then write to them.
 */
function expectNotJustSaved({ asksPerson, now }: ToolCall, contact: Contact | null): void {
  if (!asksPerson && contact && now - contact.created_at < JUST_SAVED_MS) throw refusal('FORBIDDEN', { reason: JUST_SAVED });
}

const JUST_SAVED_MS = 24 * 3_600_000;

async function wayTo(call: ToolCall, chat: string, sessionId: string | undefined): Promise<{ device: Session; name: string | null }> {
  const { ask } = call;
  const phone = phoneOf(chat);
  const [{ sessions }, contact] = await Promise.all([ask('listSessions'), phone === null ? null : contactOf(call, phone)]);
  const named = sessionId === undefined ? null : await ask('getSession', { params: { sessionId } });
  const chats = await chatsWith(call, chat, sessions);
  if (!contact && chats.length === 0) throw refusal('FORBIDDEN', { reason: STRANGER });
  if (chats.length === 0) expectNotJustSaved(call, contact);
  const own = chats.flatMap(({ session_id }) => sessions.find(({ id }) => id === session_id) ?? []);
  const device = named ?? own[0] ?? sessions.find(({ status }) => status === 'connected');
  if (!device) throw refusal('NOT_CONNECTED', { reason: NO_DEVICE });
  return { device, name: nameLine(contact?.name ?? chats[0]?.chat_name ?? null) };
}

async function chatsWith({ ask }: ToolCall, chatId: string, sessions: readonly Session[]): Promise<readonly FullChat[]> {
  const found: FullChat[] = [];
  // Asks devices one after the other, because a tenant has up to a hundred and each call is a request.
  for (const { id } of sessions) {
    const chat = await orNull(ask('getChat', { params: { sessionId: id, chatId } }));
    if (chat !== null) found.push(chat);
  }
  return found.toSorted((one, other) => other.last_message_at - one.last_message_at);
}

async function textOf(call: ToolCall, { template_id: id = '', variables }: SendArgs, template: Template | null, phone: string | null) {
  if (variables) throw invalidField('variables', OFFICIAL_ONLY);
  if (template?.message_type !== 'text') throw invalidField('template_id', TEXTS_ONLY);
  const contact = phone === null ? null : await contactOf(call, phone);
  const body = contact ? { contact_id: contact.id } : { vars: { ...(phone !== null && { phone }) } };
  const { body: text } = await call.ask('previewTemplate', { params: { id }, body });
  if (text === '') throw invalidField('template_id', EMPTY);
  return text;
}

/** Rejects values with placeholders, so that exactly the confirmed text is sent. */
function officialText({ message_type, body, official }: Template, { variables = {}, send_at }: SendArgs): string {
  if (message_type !== 'text') throw invalidField('template_id', TEXTS_ONLY);
  if (send_at !== undefined) throw invalidField('send_at', OFFICIAL_NOW);
  for (const name of official?.variables ?? []) if (variables[name] === undefined) throw invalidField(`variables.${name}`, MISSING);
  for (const [name, value] of Object.entries(variables)) if (value.includes('{')) throw invalidField(`variables.${name}`, NO_TOKENS);
  const filled = (body ?? '').replace(/\{\{(\w+)\}\}/g, (all, name: string) => variables[name] ?? all);
  const others = Object.entries(variables).filter(([name]) => name.includes('.'));
  return [filled, ...others.map(([name, value]) => `[${name}] ${value}`)].join('\n');
}

interface Sending {
  readonly chat: string;
  readonly device: Session;
  readonly text: string;
  readonly args: SendArgs;
  readonly isOfficial: boolean;
}

async function send({ ask, caller }: ToolCall, { chat, device, text, args, isOfficial }: Sending): Promise<Fields> {
  const params = { sessionId: device.id };
  // The prefix prevents collisions with the idempotency keys of the business's other calls.
  const headers = { 'idempotency-key': `mcp:${args.idempotency_key}` };
  const body = { chat_id: chat, type: 'text', body: text };
  if (args.send_at === undefined) {
    const { template_id, variables } = args;
    const filled = { chat_id: chat, type: 'text', ...given({ template_id, variables }) };
    const order = { params, headers, body: isOfficial ? filled : body };
    const { id, status, warnings, idempotent_replay } = await ask('sendMessage', order);
    return { message_id: id, status, ...given({ warnings, idempotent_replay }) };
  }
  const made = await ask('scheduleMessage', { params, headers, body: { ...body, scheduled_at: args.send_at } });
  return { message_id: made.id, status: 'scheduled', ...when('send_at', made.scheduled_at, caller.plan.zone) };
}

export const cancelMessage = tool({
  name: 'cancel_message',
  title: 'Cancel a waiting message',
  description: 'Cancel a queued or scheduled message that has not been sent.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  args: Joi.object<{ message_id: string }, true>({ message_id: Joi.string().max(26).required() }),
  needs: ['listSessions', 'getMessage', 'cancelMessage', 'getScheduled', 'cancelScheduled'],
  async run({ ask }, { message_id }) {
    for (const { id: sessionId } of (await ask('listSessions')).sessions) {
      const atMessage = { params: { sessionId, messageId: message_id } };
      const message = await orNull(ask('getMessage', atMessage));
      if (message) {
        if (message.status === 'cancelled') return { told: { message_id, status: 'cancelled' } };
        return { told: { message_id, status: (await ask('cancelMessage', atMessage)).status } };
      }
      const atScheduled = { params: { sessionId, id: message_id } };
      if (await orNull(ask('getScheduled', atScheduled))) {
        await ask('cancelScheduled', atScheduled);
        return { told: { message_id, status: 'cancelled' } };
      }
    }
    throw refusal('NOT_FOUND');
  },
});

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'NOT_FOUND') return null;
    throw cause;
  }
}
