import { randomUUID } from 'node:crypto';
import type Joi from 'joi';
import { type File, INBOX, type Message } from './books.ts';
import type { Chatwoot } from './chatwoot.ts';
import { SHAPES } from './shapes.ts';
import { contactView, conversationView } from './views.ts';

/** The endpoints of Chatwoot's API that the bridge needs. */

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly type: string;
}

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a checked body
type Body = any;

type Answering = (chatwoot: Chatwoot, call: Call, ids: readonly number[]) => unknown;

const ROUTES: readonly (readonly [route: RegExp, answer: Answering])[] = [
  [/^GET \/inboxes\/(\d+)$/, inbox],
  [/^PATCH \/inboxes\/(\d+)$/, setInbox],
  [/^POST \/contacts\/filter$/, filter],
  [/^POST \/contacts$/, createContact],
  [/^POST \/contacts\/(\d+)\/contact_inboxes$/, join],
  [/^GET \/contacts\/(\d+)\/conversations$/, conversationsOf],
  [/^GET \/conversations$/, list],
  [/^GET \/conversations\/(\d+)$/, ({ books }, _call, [id]) => conversationView(books, found(books.conversation(id!)))],
  [/^POST \/conversations$/, createConversation],
  [/^GET \/conversations\/(\d+)\/messages$/, messages],
  [/^POST \/conversations\/(\d+)\/messages$/, createMessage],
  [/^PATCH \/conversations\/(\d+)\/messages\/(\d+)$/, setStatus],
  [/^POST \/conversations\/(\d+)\/labels$/, setLabels],
];

export function answerTo(chatwoot: Chatwoot, call: Call): unknown {
  for (const [route, answer] of ROUTES) {
    const match = route.exec(`${call.method} ${call.path}`);
    if (match) return answer(chatwoot, call, match.slice(1).map(Number));
  }
  throw new Refused(404, `no such call: ${call.method} ${call.path}`);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Refused(404, 'Resource could not be found');
  return value;
}

function checked(shape: Joi.Schema, value: unknown): Body {
  const { error, value: body } = shape.validate(value, { convert: false });
  if (error) throw new Refused(422, error.message);
  return body;
}

const jsonIn = (shape: Joi.Schema, { body }: Call): Body => checked(shape, JSON.parse(body.toString()));

function inbox({ books }: Chatwoot, _call: Call, [id]: readonly number[]): unknown {
  if (id !== INBOX) throw new Refused(404, 'Resource could not be found');
  return { id, name: 'Shop', channel_type: 'Channel::Api', webhook_url: books.webhookUrl };
}

function setInbox(chatwoot: Chatwoot, call: Call, ids: readonly number[]): unknown {
  chatwoot.books.webhookUrl = jsonIn(SHAPES.inbox, call).channel.webhook_url;
  return inbox(chatwoot, call, ids);
}

function filter({ books }: Chatwoot, call: Call): unknown {
  const [{ attribute_key, values }] = jsonIn(SHAPES.filter, call).payload;
  const known = books.contacts.filter((one) => (attribute_key === 'identifier' ? one.identifier : one.phone) === values[0]);
  return { meta: { count: known.length }, payload: known.map(contactView) };
}

function createContact({ books }: Chatwoot, call: Call): unknown {
  const { inbox_id, name, identifier, phone_number = null } = jsonIn(SHAPES.contact, call);
  if (books.contacts.some((one) => one.identifier === identifier)) throw new Refused(422, 'Identifier has already been taken');
  if (phone_number !== null && books.contacts.some(({ phone }) => phone === phone_number))
    throw new Refused(422, 'Phone number has already been taken');
  const source = randomUUID();
  const contact = { id: books.id(), name, identifier, phone: phone_number, places: [{ inbox: inbox_id, source }] };
  books.contacts.push(contact);
  return { payload: { contact: contactView(contact), contact_inbox: { inbox: { id: inbox_id }, source_id: source } } };
}

function join({ books }: Chatwoot, call: Call, [id]: readonly number[]): unknown {
  const contact = found(books.contact(id!));
  const { inbox_id, source_id = randomUUID() } = jsonIn(SHAPES.join, call);
  if (!contact.places.some(({ source }) => source === source_id)) contact.places.push({ inbox: inbox_id, source: source_id });
  return { source_id, inbox: { id: inbox_id } };
}

function conversationsOf({ books }: Chatwoot, _call: Call, [id]: readonly number[]): unknown {
  return { payload: books.conversations.filter(({ contact }) => contact === id).map((one) => conversationView(books, one)) };
}

const PAGE = 25;

function list({ books }: Chatwoot, { query }: Call): unknown {
  const page = Number(query.get('page') ?? 1);
  const sorted = books.conversations.toSorted((a, b) => b.activeAt - a.activeAt);
  const payload = sorted.slice((page - 1) * PAGE, page * PAGE).map((one) => conversationView(books, one));
  return { data: { meta: { all_count: sorted.length }, payload } };
}

function createConversation(chatwoot: Chatwoot, call: Call): unknown {
  const { contact_id, source_id } = jsonIn(SHAPES.conversation, call);
  const contact = found(chatwoot.books.contact(contact_id));
  if (!contact.places.some(({ source }) => source === source_id)) throw new Refused(404, 'Resource could not be found');
  return conversationView(chatwoot.books, chatwoot.opened(contact_id));
}

function messages(chatwoot: Chatwoot, { query }: Call, [id]: readonly number[]): unknown {
  const { messages: all } = found(chatwoot.books.conversation(id!));
  const [after, before] = [query.get('after'), query.get('before')];
  const page = after
    ? all.filter((one) => one.id > Number(after)).slice(0, 100)
    : all.filter((one) => before === null || one.id < Number(before)).slice(-20);
  return { meta: {}, payload: page.map((message) => chatwoot.view(message)) };
}

async function createMessage(chatwoot: Chatwoot, call: Call, [id]: readonly number[]): Promise<unknown> {
  const body = call.type.startsWith('application/json') ? JSON.parse(call.body.toString()) : await formIn(call);
  const { content, message_type, private: isPrivate, source_id, content_attributes, file } = checked(SHAPES.message, body);
  const conversation = found(chatwoot.books.conversation(id!));
  const files: readonly File[] = file === undefined ? [] : [file];
  return chatwoot.view(
    chatwoot.store(conversation, {
      ...{ content, type: message_type, isPrivate, source: source_id, files },
      inReplyTo: content_attributes.in_reply_to ?? null,
      sender: message_type === 'outgoing' ? 'Bridge' : null,
    }),
  );
}

async function formIn({ body, type }: Call): Promise<unknown> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const file = form.get('attachments[]');
  if (!(file instanceof Blob)) throw new Refused(422, 'attachments[] is no file');
  return {
    ...{ content: form.get('content'), message_type: form.get('message_type'), source_id: form.get('source_id') },
    private: form.get('private') === 'true',
    content_attributes: JSON.parse(String(form.get('content_attributes'))),
    file: { bytes: Buffer.from(await file.arrayBuffer()), type: file.type, name: file.name },
  };
}

const ORDER = ['sent', 'delivered', 'read'];

function setStatus(chatwoot: Chatwoot, call: Call, [, id]: readonly number[]): unknown {
  const message: Message = found(chatwoot.books.message(id!));
  const { status, external_error = null } = jsonIn(SHAPES.status, call);
  // A status never goes back from `read`.
  if (status === 'failed' || ORDER.indexOf(status) >= ORDER.indexOf(message.status))
    Object.assign(message, { status, error: external_error });
  return chatwoot.view(message);
}

function setLabels({ books }: Chatwoot, call: Call, [id]: readonly number[]): unknown {
  const conversation = found(books.conversation(id!));
  conversation.labels = jsonIn(SHAPES.labels, call).labels;
  return { payload: conversation.labels };
}
