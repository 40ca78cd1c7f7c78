import { createHash } from 'node:crypto';
import { isRecord, memberOf } from '../../../runtime/shapes.ts';

/**
 * Chatwoot's API as the bridge uses it. Every response is read field by field, because the interface
 * differs between versions. A request either succeeds, is refused (without any effect), or ends with an
 * unknown outcome: it may have taken effect, or may do so later.
 */

/** Thrown when Chatwoot has refused a request and changed nothing. */
export class ChatwootRefusal extends Error {
  override readonly name = 'ChatwootRefusal';
  readonly status: number;
  readonly retryAfterMs: number | null;

  constructor(status: number, message: string, retryAfterMs: number | null) {
    super(`Chatwoot answered ${status}: ${message.slice(0, 200)}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  get isFlood(): boolean {
    return this.status === 422 && /too many messages/i.test(this.message);
  }
}

export interface Contact {
  readonly id: number;
  readonly identifier: string | null;
  readonly phone: string | null;
  readonly inboxes: readonly { readonly inbox: number; readonly source: string }[];
}

export interface Conversation {
  readonly id: number;
  readonly inbox: number;
  readonly contact: Contact | null;
  readonly labels: readonly string[];
  readonly createdAt: number;
  readonly activeAt: number;
}

export interface ChatwootMessage {
  readonly id: number;
  readonly content: string;
  readonly type: 'incoming' | 'outgoing' | 'activity' | 'template';
  /** A message without `private` is treated as private. */
  readonly isPrivate: boolean;
  readonly source: string | null;
  readonly isDeleted: boolean;
  readonly inReplyTo: number | null;
  readonly agent: string | null;
  readonly files: readonly { readonly url: string; readonly type: string }[];
  readonly createdAt: number;
}

export interface Inbox {
  readonly channel: string;
  readonly webhookUrl: string | null;
}

export interface NewMessage {
  readonly content: string;
  readonly type: 'incoming' | 'outgoing';
  readonly isPrivate: boolean;
  readonly source: string;
  readonly inReplyTo: number | null;
  readonly createdAt: number | null;
  readonly file: { readonly bytes: Blob; readonly name: string } | null;
}

export interface ApiOptions {
  readonly url: string;
  readonly account: number;
  readonly token: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

const TYPES = ['incoming', 'outgoing', 'activity', 'template'] as const;

const numberIn = (value: unknown, name: string): number => Number(memberOf(value, name));
const textIn = (value: unknown, name: string): string | null => {
  const found = memberOf(value, name);
  return typeof found === 'string' && found !== '' ? found : null;
};
const listIn = (value: unknown, name: string): readonly unknown[] => {
  const found = memberOf(value, name);
  return Array.isArray(found) ? found : [];
};
/** The data of a response is at the top level or in `payload`. */
const payloadOf = (answer: unknown): unknown => memberOf(answer, 'payload') ?? answer;

function contactOf(value: unknown): Contact {
  const inboxes = listIn(value, 'contact_inboxes').map((one) => ({
    inbox: numberIn(memberOf(one, 'inbox'), 'id'),
    source: textIn(one, 'source_id') ?? '',
  }));
  return { id: numberIn(value, 'id'), identifier: textIn(value, 'identifier'), phone: textIn(value, 'phone_number'), inboxes };
}

function conversationOf(value: unknown): Conversation {
  const sender = memberOf(memberOf(value, 'meta'), 'sender');
  return {
    id: numberIn(value, 'id'),
    inbox: numberIn(value, 'inbox_id'),
    contact: isRecord(sender) ? contactOf(sender) : null,
    labels: listIn(value, 'labels').filter((one) => typeof one === 'string'),
    createdAt: numberIn(value, 'created_at') * 1_000,
    activeAt: numberIn(value, 'last_activity_at') * 1_000,
  };
}

export function messageOf(value: unknown): ChatwootMessage {
  const given = memberOf(value, 'message_type');
  const type = typeof given === 'number' ? TYPES[given] : TYPES.find((one) => one === given);
  const attributes = memberOf(value, 'content_attributes');
  const reply = numberIn(attributes, 'in_reply_to');
  const sender = memberOf(value, 'sender');
  return {
    id: numberIn(value, 'id'),
    content: textIn(value, 'content') ?? '',
    type: type ?? 'activity',
    isPrivate: memberOf(value, 'private') !== false,
    source: textIn(value, 'source_id'),
    isDeleted: memberOf(attributes, 'deleted') === true,
    inReplyTo: Number.isSafeInteger(reply) && reply > 0 ? reply : null,
    agent: textIn(sender, 'available_name') ?? textIn(sender, 'name'),
    files: listIn(value, 'attachments').flatMap((one) => {
      const url = textIn(one, 'data_url');
      return url === null ? [] : [{ url, type: textIn(one, 'file_type') ?? 'file' }];
    }),
    createdAt: numberIn(value, 'created_at') * 1_000,
  };
}

const MAX_ANSWER = 8_000_000;

export class ChatwootApi {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** Includes Chatwoot's address, because other Chatwoot servers use the same message numbers. */
  keyOf(message: number, part: number): string {
    const { url, account } = this.#options;
    return `cw-${createHash('sha256').update(url).digest('hex').slice(0, 16)}-${account}-${message}-${part}`;
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const { url, account, token, timeoutMs } = this.#options;
    const isForm = body instanceof FormData;
    const answer = await this.#options.fetch(`${url}/api/v1/accounts/${account}${path}`, {
      method,
      // Rejects redirects, because a redirect would send the token to another host.
      redirect: 'error',
      headers: {
        api_access_token: token,
        accept: 'application/json',
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await boundedText(answer);
    if (answer.ok) return text === '' ? null : JSON.parse(text);
    const { status } = answer;
    // A request that fails with one of these statuses may still have taken effect.
    if (status >= 500 || status === 408) throw new Error(`Chatwoot answered ${status} to ${method} ${path}`);
    const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
    throw new ChatwootRefusal(status, text, Number.isFinite(after) ? after * 1_000 : null);
  }

  async inbox(id: number): Promise<Inbox> {
    const answer = await this.#call('GET', `/inboxes/${id}`);
    return { channel: textIn(answer, 'channel_type') ?? '', webhookUrl: textIn(answer, 'webhook_url') };
  }

  async setWebhook(inbox: number, webhook_url: string): Promise<void> {
    await this.#call('PATCH', `/inboxes/${inbox}`, { channel: { webhook_url } });
  }

  async contactWith(attribute_key: 'identifier' | 'phone_number', value: string): Promise<Contact | null> {
    const answer = await this.#call('POST', '/contacts/filter', {
      payload: [{ attribute_key, filter_operator: 'equal_to', values: [value], query_operator: null }],
    });
    const found = listIn(answer, 'payload').map(contactOf);
    return found.find(({ identifier, phone }) => (attribute_key === 'identifier' ? identifier : phone) === value) ?? null;
  }

  async createContact(fields: {
    readonly inbox_id: number;
    readonly name: string;
    readonly identifier: string;
    readonly phone_number?: string;
  }): Promise<Contact> {
    const payload = payloadOf(await this.#call('POST', '/contacts', fields));
    const contact = contactOf(memberOf(payload, 'contact') ?? payload);
    const source = textIn(memberOf(payload, 'contact_inbox'), 'source_id');
    const named = contact.inboxes.some(({ inbox }) => inbox === fields.inbox_id);
    return named || source === null ? contact : { ...contact, inboxes: [{ inbox: fields.inbox_id, source }] };
  }

  /** Returns the `source_id`. The request can safely be retried. */
  async joinInbox(contact: number, inbox_id: number, source_id: string): Promise<string> {
    const answer = await this.#call('POST', `/contacts/${contact}/contact_inboxes`, { inbox_id, source_id });
    return textIn(payloadOf(answer), 'source_id') ?? source_id;
  }

  async conversationsOf(contact: number): Promise<readonly Conversation[]> {
    return listIn(await this.#call('GET', `/contacts/${contact}/conversations`), 'payload').map(conversationOf);
  }

  async conversation(id: number): Promise<Conversation> {
    return conversationOf(await this.#call('GET', `/conversations/${id}`));
  }

  async createConversation(fields: {
    readonly source_id: string;
    readonly inbox_id: number;
    readonly contact_id: number;
  }): Promise<Conversation> {
    return conversationOf(await this.#call('POST', '/conversations', { ...fields, status: 'open' }));
  }

  async conversations(inbox: number, page: number): Promise<readonly Conversation[]> {
    const query = new URLSearchParams({ inbox_id: String(inbox), status: 'all', assignee_type: 'all', page: String(page) });
    const answer = await this.#call('GET', `/conversations?${query}`);
    return listIn(memberOf(answer, 'data') ?? answer, 'payload').map(conversationOf);
  }

  /** Returns messages sorted by id: the latest 20, the 20 before an id, or the 100 after an id. */
  async messages(
    conversation: number,
    at: { readonly after?: number; readonly before?: number } = {},
  ): Promise<readonly ChatwootMessage[]> {
    const query = new URLSearchParams(Object.fromEntries(Object.entries(at).map(([name, id]) => [name, String(id)])));
    const answer = await this.#call('GET', `/conversations/${conversation}/messages?${query}`);
    return listIn(answer, 'payload')
      .map(messageOf)
      .toSorted((a, b) => a.id - b.id);
  }

  /** If the request is sent twice, Chatwoot creates two messages. */
  async createMessage(conversation: number, message: NewMessage): Promise<number> {
    const answer = await this.#call('POST', `/conversations/${conversation}/messages`, bodyOf(message));
    const id = numberIn(answer, 'id');
    if (!Number.isSafeInteger(id)) throw new Error('Chatwoot did not return the id of a new message');
    return id;
  }

  async setStatus(conversation: number, message: number, status: string, external_error: string | null): Promise<void> {
    await this.#call('PATCH', `/conversations/${conversation}/messages/${message}`, {
      status,
      ...(external_error !== null && { external_error }),
    });
  }

  async setLabels(conversation: number, labels: readonly string[]): Promise<void> {
    await this.#call('POST', `/conversations/${conversation}/labels`, { labels });
  }
}

async function boundedText(answer: Response): Promise<string> {
  let text = '';
  for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > MAX_ANSWER) throw new Error('a response from Chatwoot is too large');
  }
  return text;
}

function bodyOf({ content, type, isPrivate, source, inReplyTo, createdAt, file }: NewMessage): unknown {
  const attributes = {
    ...(inReplyTo !== null && { in_reply_to: inReplyTo }),
    ...(createdAt !== null && { external_created_at: Math.floor(createdAt / 1_000) }),
  };
  if (file === null) return { content, message_type: type, private: isPrivate, source_id: source, content_attributes: attributes };
  const form = new FormData();
  form.append('content', content);
  form.append('message_type', type);
  form.append('private', String(isPrivate));
  form.append('source_id', source);
  form.append('content_attributes', JSON.stringify(attributes));
  form.append('attachments[]', file.bytes, file.name);
  return form;
}
