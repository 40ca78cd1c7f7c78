import type { Readable } from 'node:stream';
import { FormData } from 'undici';
import type { Cancel } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { OUTCOME_UNKNOWN_MS } from '../../domain/official-limits.ts';
import { phoneOf, userJid } from '../jid.ts';
import type { OpenFile, OutgoingMessage } from '../port.ts';
import { contentBody, envelope, personOf, uploadOf } from './bodies.ts';
import type { GraphClient } from './graph-client.ts';
import type { MetLimit, SendLimits } from './limits.ts';
import type { OfficialLogin } from './login.ts';

/**
 * Sends each message at most once, with one call per chat at a time. If a call gets no response,
 * the platform may have received it. The chat then waits until a status proves that the message was
 * sent. After ten minutes without one, the message fails with `unknown_outcome`. Messages that an
 * earlier process may have sent (`again`) are treated in the same way.
 */

export interface Outgoing {
  readonly netId: string;
  readonly chat: string;
  readonly template?: string;
}

interface Held extends Outgoing {
  readonly opaque: string | null;
  readonly until: number;
  readonly cancel: Cancel;
}

interface Heard {
  acked(netId: string, wireId: string | null): void;
  refused(outgoing: Outgoing, code: number, retryAfterMs: number): void;
  retryLater(outgoing: Outgoing, backoffMs: number): void;
  limited(outgoing: Outgoing, met: MetLimit): void;
  unwritten(outgoing: Outgoing): void;
  held(outgoing: Outgoing): void;
  failed(outgoing: Outgoing, reason: string): void;
  /** Called once per connection and chat when the platform knows the person at `chat` by another number. */
  registered(chat: string, phone: string): void;
}

/** States in which the platform has accepted a message, but reviews its template first. A status follows. */
const HELD: ReadonlySet<unknown> = new Set(['held_for_quality_assessment', 'paused']);
const PHONE = /^\d{5,15}$/;
const UPLOAD_MS = 300_000;
const FILE_KEPT_MS = 25 * 86_400_000;
const UPLOADS_REMEMBERED = 1_000;
const SETTLED_REMEMBERED = 10_000;
const FORMS_REMEMBERED = 1_000;

const opaqueOf = (id: string, attempt: number): string => (attempt > 1 ? `${id}.${attempt}` : id);

function attemptOf(opaque: string): { readonly id: string; readonly attempt: number } | null {
  const [, id, attempt = '1'] = /^([0-9A-Z]{26})(?:\.(\d{1,4}))?$/.exec(opaque) ?? [];
  return id === undefined ? null : { id, attempt: Number(attempt) };
}

export const idIn = (opaque: string): string | null => attemptOf(opaque)?.id ?? null;

export class Sender {
  readonly #login: OfficialLogin;
  readonly #graph: GraphClient;
  readonly #heard: Heard;
  readonly #limits: Pick<SendLimits, 'meets'>;
  readonly #chains = new Map<string, Promise<void>>();
  readonly #held = new Map<string, Held>();
  readonly #open = new Map<string, Outgoing>();
  readonly #settled = new RecentCache<string, true>(SETTLED_REMEMBERED);
  readonly #uploads = new RecentCache<string, { readonly id: string; readonly at: number }>(UPLOADS_REMEMBERED);
  /** The platform's form of a number, by the chat that it was reported for. */
  readonly #forms = new RecentCache<string, string>(FORMS_REMEMBERED);
  #isClosed = false;

  constructor(login: OfficialLogin, graph: GraphClient, limits: Pick<SendLimits, 'meets'>, heard: Heard) {
    this.#limits = limits;
    this.#login = login;
    this.#graph = graph;
    this.#heard = heard;
  }

  close(): void {
    this.#isClosed = true;
    for (const { cancel } of this.#held.values()) cancel();
    this.#held.clear();
  }

  send(message: OutgoingMessage, open: OpenFile | undefined): void {
    const { netId, to: chat, id, attempt = 1, again } = message;
    const opaque = id === undefined ? null : opaqueOf(id, attempt);
    const outgoing = { netId, chat };
    if (this.#held.get(chat)?.netId === netId) return this.#heard.held(outgoing);
    if (again && opaque !== null && this.#settled.get(opaque)) return this.#heard.acked(netId, null);
    if (again?.isHeld) return this.#heard.held(outgoing);
    if (again) return this.#hold({ ...outgoing, opaque }, again.since + OUTCOME_UNKNOWN_MS);
    this.#inOrder(outgoing, () => this.#deliver(message, opaque, open));
  }

  /** Reactions are not queued, so they cannot be held back. */
  act(netId: string, chat: string, body: Readonly<Record<string, unknown>>): void {
    this.#inOrder({ netId, chat }, async () => {
      const person = await this.#personOf(chat);
      if (!person) return this.#heard.failed({ netId, chat }, 'no_address');
      await this.#post({ netId, chat }, { ...envelope(person, netId), ...body }, null);
    });
  }

  async settle(opaque: string, wamid: string, at: number): Promise<void> {
    const ours = attemptOf(opaque);
    if (!ours || this.#settled.get(opaque)) return;
    const held = [...this.#held.values()].find((one) => one.opaque === opaque);
    const outgoing = held ?? this.#open.get(opaque);
    if (held) this.#release(held);
    this.#open.delete(opaque);
    this.#settled.set(opaque, true);
    if (outgoing) return this.#heard.acked(outgoing.netId, wamid);
    await this.#login.prove(ours.id, ours.attempt, wamid, at);
  }

  async download(id: string): Promise<Readable> {
    const { phoneNumberId } = this.#login;
    // A download address is valid for five minutes. If it has expired, request a new one once.
    for (let tries = 0; tries < 2; tries += 1) {
      const facts = await this.#graph.call({ method: 'GET', path: `${encodeURIComponent(id)}?phone_number_id=${phoneNumberId}` });
      if (facts.kind === 'error') throw new Refusal('NOT_FOUND');
      const url = facts.kind === 'ok' ? memberOf(facts.body, 'url') : null;
      if (typeof url !== 'string') throw new Error('the platform did not answer');
      const bytes = await this.#graph.bytes(url);
      if (bytes) return bytes;
    }
    throw new Refusal('NOT_FOUND');
  }

  #inOrder(outgoing: Outgoing, work: () => Promise<void>): void {
    const { chat } = outgoing;
    const before = this.#chains.get(chat) ?? Promise.resolve();
    const now = before.then(async () => {
      const held = this.#held.get(chat);
      if (this.#isClosed) return;
      if (held) return this.#heard.retryLater(outgoing, Math.max(1_000, held.until - this.#login.clock.now()));
      await work().catch(() => this.#heard.retryLater(outgoing, 0));
    });
    this.#chains.set(chat, now);
    void now.then(() => {
      if (this.#chains.get(chat) === now) this.#chains.delete(chat);
    });
  }

  async #deliver(message: OutgoingMessage, opaque: string | null, open: OpenFile | undefined): Promise<void> {
    const template = memberOf(message.official?.template, 'name');
    const outgoing = { netId: message.netId, chat: message.to, ...(typeof template === 'string' && { template }) };
    const person = await this.#personOf(message.to);
    if (!person) return this.#heard.failed(outgoing, 'no_address');
    const isInWindow = await this.#login.isOpen(message.to);
    if (!message.official?.template && !isInWindow) return this.#heard.failed(outgoing, 'window_closed');
    const met = await this.#limits.meets(message.to, isInWindow);
    if (met) return this.#heard.limited(outgoing, met);
    const mediaId = 'file' in message.content ? await this.#upload(message, outgoing, open) : '';
    if (mediaId === null) return;
    const body = contentBody(message, mediaId === '' ? null : mediaId);
    if (!body) return this.#heard.failed(outgoing, 'not_offered');
    await this.#post(outgoing, { ...envelope(person, opaque ?? message.netId), ...body }, opaque);
  }

  async #post(outgoing: Outgoing, json: unknown, opaque: string | null): Promise<void> {
    if (this.#isClosed) return;
    if (opaque !== null) this.#open.set(opaque, outgoing);
    const outcome = await this.#graph.call({ method: 'POST', path: `${this.#login.phoneNumberId}/messages`, json });
    if (opaque !== null && !this.#open.delete(opaque)) return;
    switch (outcome.kind) {
      case 'ok': {
        const messages = memberOf(outcome.body, 'messages');
        const answered = Array.isArray(messages) ? messages[0] : null;
        const wamid = memberOf(answered, 'id');
        this.#learnNumber(outgoing.chat, outcome.body);
        const ours = opaque === null ? null : attemptOf(opaque);
        if (ours && HELD.has(memberOf(answered, 'message_status'))) return this.#heldBack(outgoing, ours.id, opaque);
        if (opaque !== null) this.#settled.set(opaque, true);
        return this.#heard.acked(outgoing.netId, opaque !== null && typeof wamid === 'string' ? wamid : null);
      }
      case 'error':
        return this.#heard.refused(outgoing, outcome.code, outcome.retryAfterMs);
      case 'unwritten':
        return this.#heard.unwritten(outgoing);
      default:
        // A reaction with an unknown outcome fails immediately, because the caller can set it again.
        if (opaque === null) return this.#heard.failed(outgoing, 'unknown_outcome');
        return this.#hold({ ...outgoing, opaque }, this.#login.clock.now() + OUTCOME_UNKNOWN_MS);
    }
  }

  /** In some countries, the platform uses another form of a number than the one that was dialled. */
  #learnNumber(chat: string, answer: unknown): void {
    const contacts = memberOf(answer, 'contacts');
    const phone = memberOf(Array.isArray(contacts) ? contacts[0] : null, 'wa_id');
    if (phoneOf(chat) === null || typeof phone !== 'string' || !PHONE.test(phone)) return;
    if (userJid(phone) === chat || this.#forms.get(chat) === phone) return;
    this.#forms.set(chat, phone);
    this.#heard.registered(chat, phone);
  }

  /**
   * Records that the platform has the message but holds it back. If this cannot be recorded, the
   * message waits as if its outcome were unknown, because it must not be sent again.
   */
  async #heldBack(outgoing: Outgoing, id: string, opaque: string | null): Promise<void> {
    try {
      await this.#login.held(id);
      this.#heard.held(outgoing);
    } catch {
      this.#hold({ ...outgoing, opaque }, this.#login.clock.now() + OUTCOME_UNKNOWN_MS);
    }
  }

  #hold(outgoing: Outgoing & { readonly opaque: string | null }, until: number): void {
    if (this.#isClosed) return;
    const { chat } = outgoing;
    const other = this.#held.get(chat);
    const leftMs = until - this.#login.clock.now();
    if (leftMs <= 0) return this.#heard.failed(outgoing, 'unknown_outcome');
    const cancel = this.#login.clock.after(leftMs, () => {
      this.#held.delete(chat);
      this.#heard.failed(outgoing, 'unknown_outcome');
    });
    other?.cancel();
    this.#held.set(chat, { ...outgoing, until, cancel });
    this.#heard.held(outgoing);
  }

  #release({ chat, cancel }: Held): void {
    cancel();
    this.#held.delete(chat);
  }

  async #personOf(chat: string): Promise<Readonly<Record<string, unknown>> | null> {
    return personOf(chat, chat.endsWith('@lid') ? await this.#login.personAt(chat) : null);
  }

  async #upload({ content }: OutgoingMessage, outgoing: Outgoing, open: OpenFile | undefined): Promise<string | null> {
    if (!('file' in content) || !open) return '';
    const { contentType, filename, sha256 } = content.file;
    const now = this.#login.clock.now();
    const known = this.#uploads.get(sha256);
    if (known && now - known.at < FILE_KEPT_MS) return known.id;
    const { name, type } = uploadOf(contentType, filename);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const part of await open()) parts.push(new Uint8Array(part));
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('type', type);
    form.set('file', new Blob(parts, { type }), name);
    const outcome = await this.#graph.call({
      method: 'POST',
      path: `${this.#login.phoneNumberId}/media`,
      form,
      withinMs: UPLOAD_MS,
    });
    const id = outcome.kind === 'ok' ? memberOf(outcome.body, 'id') : null;
    if (typeof id === 'string') {
      this.#uploads.set(sha256, { id, at: now });
      return id;
    }
    // An upload is not a message, so it can be retried whatever its outcome was.
    if (outcome.kind === 'error') this.#heard.refused(outgoing, outcome.code, outcome.retryAfterMs);
    else if (outcome.kind === 'unwritten') this.#heard.unwritten(outgoing);
    else this.#heard.retryLater(outgoing, 0);
    return null;
  }
}
