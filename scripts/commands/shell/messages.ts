import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import { systemClock } from '../../../runtime/clock.ts';
import { Failure } from '../cluster/operator.ts';
import { span, table } from '../cluster/table.ts';
import { printable } from '../printable.ts';
import { type Command, given, misunderstood, type Options, type Shell, textOf } from './command.ts';

const CHATS = [
  { title: 'CHAT' },
  { title: 'NAME' },
  { title: 'UNREAD', isFigure: true },
  { title: 'STATUS' },
  { title: 'AGO' },
  { title: 'LAST MESSAGE' },
];
const SESSION = { type: 'string', value: 'ID', about: 'the device; default: the only connected one' } as const;
const LIMIT = { type: 'string', value: 'N', about: 'how many to show (default: 20)' } as const;

export const MESSAGES: readonly Command[] = [
  {
    name: 'send',
    takes: '<to> <text>',
    about: 'Send a text to a number or chat. Repeat the command with the same --once to send the message only once.',
    least: 2,
    most: 2,
    options: {
      session: SESSION,
      at: { type: 'string', value: 'T', about: 'send later, at an ISO time (2026-12-24T18:00)' },
      once: { type: 'string', value: 'KEY', about: 'idempotency key; default: a new one each time' },
    },
    run: send,
  },
  {
    name: 'chats',
    about: 'List the inbox, newest message first.',
    options: {
      unread: { type: 'boolean', about: 'only chats with unread messages' },
      status: { type: 'string', value: 'S', about: 'open, pending or resolved' },
      search: { type: 'string', value: 'Q', about: 'part of a name, number or last message' },
      limit: LIMIT,
    },
    run: chats,
  },
  {
    name: 'chat',
    takes: '<number or chat>',
    about: 'Read one conversation, oldest message first.',
    least: 1,
    options: { session: SESSION, limit: LIMIT },
    run: chat,
  },
];

async function deviceOf({ api }: Shell, options: Options): Promise<string> {
  const named = textOf(options, 'session');
  if (named !== undefined) return named;
  const { sessions } = await api.call('listSessions', {});
  const online = sessions.filter(({ status }) => status === 'connected');
  const [only] = online;
  if (!only) throw new Failure('No device is connected. Run `gateway link`.');
  if (online.length > 1)
    throw new Failure(`Several devices are connected: choose one with --session (${online.map(({ id }) => id).join(', ')}).`);
  return only.id;
}

async function send(shell: Shell, [to, text]: readonly string[], options: Options) {
  const params = { sessionId: await deviceOf(shell, options) };
  const headers = { 'idempotency-key': textOf(options, 'once') ?? randomUUID() };
  const body = { chat_id: to ?? '', type: 'text', body: text ?? '' } as const;
  const at = textOf(options, 'at');
  if (at === undefined) {
    const sent = await shell.api.call('sendMessage', { params, body }, headers);
    const warnings = (sent.warnings ?? []).map(({ message }) => `\nWarning: ${message}`);
    return {
      json: sent,
      text: `${sent.status === 'failed' ? "Not sent, this month's quota is used up" : 'Accepted'}: ${sent.id}${warnings.join('')}`,
    };
  }
  const time = DateTime.fromISO(at);
  if (!time.isValid) throw misunderstood(`--at must be an ISO time, for example 2026-12-24T18:00, not "${at}"`, 'send');
  const planned = await shell.api.call('scheduleMessage', { params, body: { ...body, scheduled_at: time.toMillis() } }, headers);
  return { json: planned, text: `Scheduled for ${time.toISO()}: ${planned.id}` };
}

async function chats({ api }: Shell, _names: readonly string[], options: Options) {
  const asked = given({
    limit: textOf(options, 'limit') ?? '20',
    unread: options['unread'] === true ? 'true' : undefined,
    status: textOf(options, 'status'),
    q: textOf(options, 'search'),
  });
  const found = await api.call('listInbox', { query: asked });
  const now = systemClock.now();
  const rows = found.chats.map((one) => [
    numberOf(one.chat_id),
    one.chat_name ?? '',
    String(one.unread_count),
    one.status,
    span(now - (one.last_message_at ?? now)),
    oneLine(one.last_message ?? ''),
  ]);
  return { json: found, text: rows.length === 0 ? 'No chats found.' : table(CHATS, rows) };
}

async function chat(shell: Shell, [who = '']: readonly string[], options: Options) {
  const params = { sessionId: await deviceOf(shell, options), chatId: who };
  const found = await shell.api.call('listChatMessages', { params, query: given({ limit: textOf(options, 'limit') ?? '20' }) });
  const lines = found.messages.toReversed().map((one) => {
    const mark = one.direction === 'inbound' ? '<' : '>';
    const at = DateTime.fromMillis(one.created_at).toFormat('yyyy-MM-dd HH:mm');
    return `${at} ${mark} ${printable(one.body ?? `[${one.message_type}]`)}${mark === '>' ? `  (${one.status})` : ''}`;
  });
  return { json: found, text: lines.length === 0 ? 'No messages found.' : lines.join('\n') };
}

const numberOf = (chatId: string): string => chatId.replace(/^(\d+)@s\.whatsapp\.net$/, '+$1');

const WIDTH = 60;

function oneLine(text: string): string {
  const plain = printable(text).replace(/\s+/g, ' ');
  return plain.length > WIDTH ? `${plain.slice(0, WIDTH).toWellFormed()}…` : plain;
}
