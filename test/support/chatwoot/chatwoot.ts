import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, pause } from '../../../runtime/clock.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { Books, type Conversation, type File, INBOX, type Message } from './books.ts';
import { answerTo, type Call, Refused } from './calls.ts';
import { messageView, webhookView } from './views.ts';

/**
 * A Chatwoot double, written from its published OpenAPI, its documentation and its issues. It has the documented
 * faults: a webhook is sent once, within five seconds or never, and an error marks the agent's message as failed; a
 * webhook may be sent twice; two requests with the same `source_id` create two messages; a request may take effect
 * although its response is lost.
 */

/** Outcome of a request: answered, lost before or after its effect, 5xx after its effect, or executed late. */
export type Fate = 'answered' | 'lost before' | 'lost after' | '500 after' | { readonly lateMs: number };
/** Outcome of a webhook. */
export type Delivery = 'once' | 'never' | 'twice' | { readonly lateMs: number };

export const TOKEN = 'chatwoot-token';
export const WEBHOOK_SECRET = 'chatwoot-webhook-secret';
const PATIENCE_MS = 5_000;
const FLOOD = 200;

export class Chatwoot {
  readonly books = new Books();
  /** Decides the outcome of each request. Default: all are answered. */
  fate: (method: string, path: string) => Fate = () => 'answered';
  delivery: (message: Message) => Delivery = () => 'once';
  /** Requests so far, such as `POST /conversations`. */
  readonly asked: string[] = [];
  readonly #clock: Clock;
  readonly #posts = new Map<number, number[]>();
  #server: Server | null = null;
  #port = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = addressOf(server).port;
  }

  /** Kills the process: its connections break, but its database stays. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request, (chunk: Buffer) => chunk));
    const url = new URL(String(request.url), this.url);
    const file = /^\/files\/(\d+)\//.exec(url.pathname);
    if (file) {
      const { bytes, type } = this.books.files[Number(file[1])]!;
      return void response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
    }
    const path = url.pathname.replace(/^\/api\/v1\/accounts\/1(?=\/)/, '');
    const method = String(request.method);
    this.asked.push(`${method} ${path.replace(/\d+/g, 'N')}`);
    if (request.headers['api_access_token'] !== TOKEN) return void response.writeHead(401).end('{}');
    const fate = this.fate(method, path);
    if (fate === 'lost before') return void response.destroy();
    if (typeof fate === 'object') await pause(this.#clock, fate.lateMs);
    const { status, answer } = await this.#carriedOut({
      method,
      path,
      query: url.searchParams,
      body,
      type: String(request.headers['content-type']),
    });
    if (fate === 'lost after') return void response.destroy();
    const shown = fate === '500 after' ? 500 : status;
    response.writeHead(shown, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  async #carriedOut(call: Call): Promise<{ readonly status: number; readonly answer: unknown }> {
    try {
      return { status: 200, answer: await answerTo(this, call) };
    } catch (cause) {
      if (!(cause instanceof Refused)) throw cause;
      return { status: cause.status, answer: { message: cause.message } };
    }
  }

  now(): number {
    return this.#clock.now();
  }

  /** Stores a message and sends its webhook. Rejects the 201st message within a minute in one conversation. */
  store(
    conversation: Conversation,
    fields: Omit<Message, 'id' | 'conversation' | 'isDeleted' | 'status' | 'error' | 'createdAt'>,
  ): Message {
    const now = this.#clock.now();
    if (this.flood(conversation) > FLOOD) throw new Refused(422, 'Too many messages');
    this.books.files.push(...fields.files);
    const message: Message = {
      ...fields,
      ...{ id: this.books.id(), conversation: conversation.id, isDeleted: false, status: 'sent', error: null, createdAt: now },
    };
    conversation.messages.push(message);
    conversation.activeAt = now;
    void this.#announce('message_created', message);
    return message;
  }

  /** Counts a message. Returns the number in the last minute. */
  flood({ id }: Conversation): number {
    const now = this.#clock.now();
    const recent = [...(this.#posts.get(id) ?? []).filter((at) => at > now - 60_000), now];
    this.#posts.set(id, recent.slice(-FLOOD - 1));
    return recent.length;
  }

  view(message: Message): unknown {
    return messageView(this.url, this.books, message);
  }

  async #announce(event: string, message: Message): Promise<void> {
    const delivery = this.delivery(message);
    if (delivery === 'never') return;
    if (typeof delivery === 'object') await pause(this.#clock, delivery.lateMs);
    for (let nth = 0; nth < (delivery === 'twice' ? 2 : 1); nth += 1) await this.deliver(event, message);
  }

  /** Sends a webhook once. An error marks an agent's message as failed; the webhook is not repeated. */
  async deliver(event: string, message: Message, changes: object = {}): Promise<number> {
    const { webhookUrl } = this.books;
    if (webhookUrl === null) return 0;
    const body = JSON.stringify({ ...webhookView(this.url, this.books, event, message), ...changes });
    const timestamp = String(Math.floor(this.#clock.now() / 1_000));
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${timestamp}.${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-chatwoot-timestamp': timestamp,
      'x-chatwoot-signature': `sha256=${signature}`,
      'x-chatwoot-delivery': randomUUID(),
    };
    const status = await fetch(webhookUrl, { method: 'POST', headers, body, signal: AbortSignal.timeout(PATIENCE_MS) }).then(
      (answer) => answer.body?.cancel().then(() => answer.status) ?? answer.status,
      () => 0,
    );
    if (status !== 200 && message.type === 'outgoing') message.status = 'failed';
    return status;
  }

  /** Writes a message as an agent. */
  write(conversation: number, content: string, more: { isPrivate?: boolean; files?: readonly File[]; inReplyTo?: number } = {}): Message {
    const { isPrivate = false, files = [], inReplyTo = null } = more;
    return this.store(this.books.conversation(conversation)!, {
      ...{ content, type: 'outgoing', isPrivate, files, inReplyTo, source: null, sender: 'Dewi' },
    });
  }

  /** Opens a conversation, as an agent, with a person who has not written. */
  open(name: string, phone: string): number {
    const id = this.books.id();
    this.books.contacts.push({ id, name, identifier: null, phone, places: [{ inbox: INBOX, source: randomUUID() }] });
    return this.opened(id).id;
  }

  opened(contact: number): Conversation {
    const now = this.#clock.now();
    const conversation = { id: this.books.id(), contact, inbox: INBOX, labels: [], createdAt: now, activeAt: now, messages: [] };
    this.books.conversations.push(conversation);
    return conversation;
  }

  /** Deletes a message as an agent. */
  async erase(message: Message): Promise<void> {
    Object.assign(message, { isDeleted: true, content: 'This message was deleted' });
    await this.#announce('message_updated', message);
  }
}
