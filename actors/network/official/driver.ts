import type { Readable } from 'node:stream';
import type { Cancel } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import type { PlatformLimit } from '../../../store/messaging/message-row.ts';
import { MAX_BACKOFF_MS } from '../../domain/transient-refusals.ts';
import {
  CLOSED,
  type Connection,
  type ConnectionEvent,
  type FileReference,
  type MessageKey,
  type Network,
  type OpenFile,
  type OutgoingMessage,
  type OutgoingReaction,
  type Presence,
} from '../port.ts';
import type { AskNetwork } from '../questions.ts';
import { isOfPlatform } from './bodies.ts';
import { check, healthOf, readNumber, tierOf } from './checks.ts';
import { STOPPED_MARKETING, TEMPLATE_OUTDATED, type Verdict, verdictOf, WINDOW_CLOSED } from './error-codes.ts';
import { GraphClient } from './graph-client.ts';
import { HookReader } from './hook-reader.ts';
import { SendLimits } from './limits.ts';
import type { OfficialLogin } from './login.ts';
import { createAsking } from './questions.ts';
import { type Outgoing, Sender } from './sender.ts';

/** The platform has no idempotency keys. A message that it may have received is therefore never resent. */
export const createOfficialDriver = (login: OfficialLogin): Pick<Network, 'open'> => ({
  open: (_order, receive) => new OfficialConnection(login, receive),
});

const TEMPLATE_FIELDS: ReadonlySet<string> = new Set([
  ...[
    'message_template_status_update',
    'message_template_quality_update',
    'message_template_components_update',
    'template_category_update',
  ],
]);
const nameOfTemplate = (value: unknown): string | null => {
  const name = memberOf(value, 'message_template_name');
  return typeof name === 'string' ? name : null;
};

const LOOK_MS = 30_000;
const CHECK_MS = 6 * 3_600_000;
const MAX_SYNCED = 100;
const SYNC_AGAIN_MS = 600_000;
const MAX_UNWRITTEN = 3;

class OfficialConnection implements Connection {
  readonly #login: OfficialLogin;
  readonly #receive: (event: ConnectionEvent) => void;
  readonly #graph: GraphClient;
  readonly #sender: Sender;
  readonly #reader: HookReader;
  readonly #newest = new Map<string, string>();
  readonly #limits: SendLimits;
  readonly ask: AskNetwork;
  readonly #synced = new RecentCache<string, number>(MAX_SYNCED);
  #phase: 'checking' | 'open' | 'closed' = 'checking';
  #unwritten = 0;
  #cancels: Cancel[] = [];

  constructor(login: OfficialLogin, receive: (event: ConnectionEvent) => void) {
    this.#login = login;
    this.#receive = receive;
    this.#graph = new GraphClient(login.address, { token: login.token, appSecret: login.appSecret }, login.dispatcher, login.clock);
    this.#limits = new SendLimits(login);
    this.ask = createAsking(this.#graph, login);
    this.#sender = new Sender(login, this.#graph, this.#limits, {
      acked: (netId, wireId) => this.#acked(netId, wireId),
      refused: (outgoing, code, retryAfterMs) => this.#refused(outgoing, code, retryAfterMs),
      retryLater: ({ netId }, backoffMs) => this.#say({ type: 'refused', netId, reason: 'refused_503', backoffMs }),
      limited: ({ netId }, { limit, waitMs: backoffMs }) => this.#wait(netId, Math.min(backoffMs, MAX_BACKOFF_MS), limit),
      unwritten: (outgoing) => this.#wasUnwritten(outgoing),
      held: ({ netId }) => this.#say({ type: 'unwritten', netId }),
      failed: ({ netId }, reason) => this.#say({ type: 'refused', netId, reason }),
      registered: (address, phone) => this.#registered(address, phone),
    });
    this.#reader = new HookReader(login, {
      say: (event) => this.#say(event),
      settle: (opaque, wamid, at) => this.#sender.settle(opaque, wamid, at),
      refused: (netId, code) => this.#failedLate(netId, code),
      came: (chat, netId) => this.#newest.set(chat, netId),
      account: (field, value) => this.#account(field, value),
      failed: () => this.#end({ code: CLOSED.failed }),
    });
    void this.#start();
  }

  send(message: OutgoingMessage, open?: OpenFile): void {
    if (this.#phase === 'open') this.#sender.send(message, open);
  }

  react({ netId, target, emoji }: OutgoingReaction): void {
    if (this.#phase !== 'open') return;
    if (!isOfPlatform(target.netId)) return this.#say({ type: 'refused', netId, reason: 'not_offered' });
    this.#sender.act(netId, target.chat, { type: 'reaction', reaction: { message_id: target.netId, emoji } });
  }

  edit({ netId }: { readonly netId: string }): void {
    this.#say({ type: 'refused', netId, reason: 'not_offered' });
  }

  erase({ netId }: { readonly netId: string }): void {
    this.#say({ type: 'refused', netId, reason: 'not_offered' });
  }

  /** Marks the message as read. The platform also marks all earlier ones. */
  markRead(_chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void {
    const newest = messages.at(-1);
    if (this.#phase === 'open' && newest && isOfPlatform(newest.netId)) this.#mark(newest.netId, {});
  }

  /** Shows typing, which cannot be hidden again. The platform also marks the newest message as read. */
  presence(chat: string, state: Presence): void {
    const newest = this.#newest.get(chat);
    if (this.#phase === 'open' && state === 'composing' && newest) this.#mark(newest, { typing_indicator: { type: 'text' } });
  }

  acknowledge(token: string): void {
    this.#reader.acknowledge(token);
  }

  hooksArrived(): void {
    if (this.#phase === 'open') this.#reader.read();
  }

  async download({ id }: FileReference): Promise<Readable> {
    if (typeof id !== 'string' || this.#phase !== 'open') throw new Refusal(typeof id === 'string' ? 'NOT_CONNECTED' : 'NOT_FOUND');
    return this.#sender.download(id);
  }

  async pairingCode(): Promise<never> {
    throw new Refusal('NOT_FOUND');
  }

  async lookUp(): Promise<never> {
    throw new Refusal('NOT_FOUND');
  }

  /** Keeps the webhook subscription, because another number of this account may need it. */
  async logOut(): Promise<void> {
    this.#end({ code: CLOSED.loggedOut });
  }

  close(): void {
    this.#end({ code: CLOSED.normally });
  }

  async #start(): Promise<void> {
    const { health, reason, phone, name } = await check(this.#graph, this.#login);
    if (this.#phase === 'closed') return;
    if (reason === 'unreachable') return this.#end({ code: CLOSED.unreachable });
    await this.#login.note(health).catch(() => undefined);
    if (reason !== null) return this.#end({ code: CLOSED.normally, failed: reason });
    if (this.#isClosed()) return;
    this.#phase = 'open';
    this.#say({ type: 'opened', phone, name, about: null });
    this.#reader.read();
    this.#repeat(LOOK_MS, () => this.#reader.read());
    this.#repeat(CHECK_MS, () => void this.#checkAgain());
    this.#syncTemplates(null);
  }

  #syncTemplates(name: string | null): void {
    this.#login.syncTemplates(name).catch(() => undefined);
  }

  #isClosed(): boolean {
    return this.#phase === 'closed';
  }

  async #checkAgain(): Promise<void> {
    const { health, reason } = await check(this.#graph, this.#login);
    if (reason === 'unreachable' || this.#isClosed()) return;
    await this.#login.note(health).catch(() => undefined);
    if (reason !== null) return this.#end({ code: CLOSED.normally, failed: reason });
    this.#syncTemplates(null);
  }

  #acked(netId: string, wireId: string | null): void {
    this.#unwritten = 0;
    this.#say({ type: 'acked', netId, at: this.#login.clock.now(), ...(wireId !== null && { wireId }) });
  }

  #registered(address: string, phone: string): void {
    const at = this.#login.clock.now();
    this.#say({ type: 'identity', token: address, address, phone, username: null, source: 'usync', at });
  }

  #wait(netId: string, backoffMs: number, limit: PlatformLimit): void {
    this.#say({ type: 'refused', netId, reason: 'refused_503', backoffMs, limit });
  }

  #note(verdict: Verdict): void {
    if (verdict.does === 'stop' || verdict.trouble === undefined) return;
    const trouble = { reason: verdict.trouble, at: this.#login.clock.now() };
    this.#login.note({ trouble, ...(verdict.trouble === 'payment_missing' && { can_send: false }) }).catch(() => undefined);
  }

  /** Syncs the templates after an error. If a webhook's error names no template (null), all are synced. */
  #syncAfterError(name: string | null): void {
    const now = this.#login.clock.now();
    const key = name ?? '';
    if (now - (this.#synced.get(key) ?? Number.NEGATIVE_INFINITY) < SYNC_AGAIN_MS) return;
    this.#synced.set(key, now);
    this.#syncTemplates(name);
  }

  #refused({ netId, chat, template }: Outgoing, code: number, retryAfterMs: number): void {
    this.#unwritten = 0;
    const verdict = verdictOf(code);
    if (code === STOPPED_MARKETING) this.#login.prefers(chat, false, this.#login.clock.now()).catch(() => undefined);
    if (code === WINDOW_CLOSED) this.#login.windowClosed(chat, this.#login.clock.now()).catch(() => undefined);
    this.#note(verdict);
    if (TEMPLATE_OUTDATED.has(code) && template !== undefined) this.#syncAfterError(template);
    if (verdict.does === 'fail') return this.#say({ type: 'refused', netId, reason: verdict.error });
    const limit = verdict.does === 'wait' ? verdict.limit : undefined;
    const least = verdict.does === 'wait' ? verdict.waitMs : 0;
    const waitMs = Math.max(limit === undefined ? least : this.#limits.refused(chat, limit), retryAfterMs);
    if (limit !== undefined) return this.#wait(netId, Math.min(waitMs, MAX_BACKOFF_MS), limit);
    this.#say({ type: 'refused', netId, reason: code === 130_429 ? 'refused_429' : 'refused_503', backoffMs: waitMs });
    if (verdict.does === 'stop') this.#end({ code: CLOSED.normally, failed: verdict.reason });
  }

  #failedLate(netId: string, code: number | null): void {
    const verdict = code === null ? null : verdictOf(code);
    if (verdict) this.#note(verdict);
    if (code !== null && TEMPLATE_OUTDATED.has(code)) this.#syncAfterError(null);
    const reason = verdict?.does === 'fail' ? verdict.error : `refused_${code ?? 'unknown'}`;
    this.#say({ type: 'refused', netId, reason });
    if (verdict?.does === 'stop') this.#end({ code: CLOSED.normally, failed: verdict.reason });
  }

  #wasUnwritten({ netId }: Outgoing): void {
    this.#unwritten += 1;
    this.#say({ type: 'refused', netId, reason: 'refused_503' });
    if (this.#unwritten >= MAX_UNWRITTEN) this.#end({ code: CLOSED.unreachable });
  }

  #mark(wamid: string, more: Readonly<Record<string, unknown>>): void {
    const json = { messaging_product: 'whatsapp', status: 'read', message_id: wamid, ...more };
    void this.#graph.call({ method: 'POST', path: `${this.#login.phoneNumberId}/messages`, json });
  }

  async #account(field: string, value: unknown): Promise<void> {
    if (field === 'phone_number_quality_update' || field === 'business_capability_update') await this.#healthChanged(value);
    if (TEMPLATE_FIELDS.has(field)) this.#syncTemplates(nameOfTemplate(value));
  }

  /** The webhook contains only the limit, so the quality is requested. */
  async #healthChanged(value: unknown): Promise<void> {
    const limit = tierOf(
      typeof value === 'object' && value !== null ? Reflect.get(value, 'max_daily_conversations_per_business') : undefined,
    );
    const read = await readNumber(this.#graph, this.#login);
    const health = read.kind === 'ok' ? healthOf(read.body) : {};
    await this.#login.note({ ...(limit !== undefined && { tier: limit }), ...health });
  }

  #repeat(ms: number, work: () => void): void {
    const again = (): void => {
      const cancel = this.#login.clock.after(ms, () => {
        this.#cancels = this.#cancels.filter((one) => one !== cancel);
        work();
        if (this.#phase !== 'closed') again();
      });
      this.#cancels.push(cancel);
    };
    again();
  }

  #say(event: ConnectionEvent): void {
    if (this.#phase !== 'closed') this.#receive(event);
  }

  #end(closed: { readonly code: number; readonly failed?: string }): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    for (const cancel of this.#cancels) cancel();
    this.#sender.close();
    this.#reader.close();
    // Deferred, because a driver must not deliver events synchronously.
    this.#login.clock.after(0, () => this.#receive({ type: 'closed', ...closed }));
  }
}
