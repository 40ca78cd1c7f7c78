/**
 * Requests, one-way messages and broadcasts between nodes, over the publish/subscribe channels of
 * the coordination service. Delivery is at most once: the caller of a lost request receives a
 * Refusal.
 */

import { unreachable } from '../actor-system/behaviour.ts';
import type { Clock } from '../clock.ts';
import { asError, Refusal } from '../errors.ts';
import { type Envelope, seal, unseal, wireRefusal } from './envelope.ts';
import type { Membership } from './membership.ts';
import { PendingRequests } from './pending-requests.ts';
import type { ClusterLog, Coordination, NodeName, Wire } from './port.ts';

export interface NodeMessagingOptions {
  readonly self: NodeName;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

export type MessageBus = Pick<Coordination, 'publish' | 'subscribe'>;
export type Directory = Pick<Membership, 'find' | 'onMembers'>;

type Handler = (body: unknown, from: string) => Promise<unknown>;
type BroadcastListener = (body: unknown, from: string) => void;

const nobody: Handler = () => Promise.reject(wireRefusal('UNAVAILABLE'));

/**
 * Each process has its own channel, so it never receives messages for an earlier process of its
 * node.
 */
const channelOf = ({ id, boot }: NodeName): string => `to:${id}/${boot}`;

export class NodeMessaging implements Wire {
  readonly #bus: MessageBus;
  readonly #directory: Directory;
  readonly #log: ClusterLog;
  readonly #self: NodeName;
  readonly #channel: string;
  readonly #questions: PendingRequests;
  readonly #topics = new Map<string, BroadcastListener[]>();
  #handler = nobody;

  constructor(bus: MessageBus, directory: Directory, { self, clock, log }: NodeMessagingOptions) {
    this.#bus = bus;
    this.#directory = directory;
    this.#log = log;
    this.#self = self;
    this.#channel = channelOf(self);
    this.#questions = new PendingRequests(clock);
    directory.onMembers((members) => this.#questions.refuseAllBut(new Set(members.map(channelOf))));
  }

  async ask(nodeId: string, body: unknown, timeoutMs: number, share: string | null = null): Promise<unknown> {
    const channel = this.#channelTo(nodeId);
    if (channel === null) throw wireRefusal('UNAVAILABLE');
    const question = { t: 'ask', from: this.#self.id, back: this.#channel, body } as const;
    return this.#questions.ask({ channel, share }, timeoutMs, (n) => this.#put(n, channel, { ...question, n }));
  }

  tell(nodeId: string, body: unknown): void {
    const text = seal({ t: 'tell', from: this.#self.id, body });
    const channel = this.#channelTo(nodeId);
    if (channel !== null) this.#sendAndForget(channel, text);
  }

  /** A node's own broadcasts are delivered directly, so hints to its own clients do not need Redis. */
  broadcast(topic: string, body: unknown): void {
    const text = seal({ t: 'cast', from: this.#self.id, back: this.#channel, body });
    this.#bus.publish(`all:${topic}`, text).catch(() => {});
    queueMicrotask(() => this.#deliverBroadcast(topic, text, 'self'));
  }

  onBroadcast(topic: string, listener: BroadcastListener): void {
    const listeners = this.#topics.get(topic);
    if (listeners !== undefined) listeners.push(listener);
    else this.#subscribeTo(topic, listener);
  }

  serve(handler: Handler): void {
    this.#handler = handler;
  }

  async open(): Promise<void> {
    await this.#bus.subscribe(this.#channel, (text) => this.#receive(text));
  }

  close(): void {
    this.#handler = nobody;
    this.#questions.close();
  }

  #channelTo(nodeId: string): string | null {
    if (nodeId === this.#self.id) return this.#channel;
    const member = this.#directory.find(nodeId);
    return member === undefined ? null : channelOf(member);
  }

  #put(n: number, channel: string, question: Envelope): void {
    try {
      this.#send(channel, seal(question)).then(
        (reached) => void (reached === 0 && this.#questions.refuse(n, wireRefusal('UNAVAILABLE'))),
        () => this.#questions.refuse(n, wireRefusal('UNAVAILABLE')),
      );
    } catch (cause) {
      this.#questions.refuse(n, asError(cause));
    }
  }

  async #send(channel: string, text: string): Promise<number> {
    if (channel !== this.#channel) return this.#bus.publish(channel, text);
    queueMicrotask(() => this.#receive(text));
    return 1;
  }

  #sendAndForget(channel: string, text: string): void {
    this.#send(channel, text).catch(() => {});
  }

  #subscribeTo(topic: string, listener: BroadcastListener): void {
    this.#topics.set(topic, [listener]);
    // Subscribing fails while disconnected. The error is ignored, because the next connection
    // subscribes again.
    this.#bus.subscribe(`all:${topic}`, (text) => this.#deliverBroadcast(topic, text, 'others')).catch(() => {});
  }

  #deliverBroadcast(topic: string, text: string, via: 'self' | 'others'): void {
    const envelope = unseal(text);
    if (envelope?.t !== 'cast' || (via === 'others' && envelope.back === this.#channel)) return;
    for (const listener of this.#topics.get(topic) ?? []) this.#callListener(topic, listener, envelope);
  }

  #callListener(topic: string, listener: BroadcastListener, { body, from }: { readonly body: unknown; readonly from: string }): void {
    try {
      listener(body, from);
    } catch (cause) {
      this.#log.error({ event: 'cluster.hint_failed', err: cause, from, topic }, 'a hint of another node could not be handled');
    }
  }

  #receive(text: string): void {
    const envelope = unseal(text);
    if (envelope === null)
      return this.#log.warn({ event: 'cluster.message_unreadable', length: text.length }, 'a message from another node could not be read');
    switch (envelope.t) {
      case 'ask':
        return void this.#answer(envelope);
      case 'tell':
        return void this.#handle(envelope).catch((cause) => this.#toRefusal(cause, envelope.from));
      case 'answer':
        return this.#questions.answer(envelope.n, envelope.body);
      case 'refusal':
        return this.#questions.refuse(envelope.n, new Refusal(envelope.code, envelope.details));
      case 'cast':
        return;
      default:
        return unreachable(envelope);
    }
  }

  async #answer(question: Extract<Envelope, { t: 'ask' }>): Promise<void> {
    const { n, from, back } = question;
    const text = await this.#handle(question)
      .then((body = null) => seal({ t: 'answer', n, body }))
      .catch((cause) => this.#sealRefusal(n, this.#toRefusal(cause, from)));
    this.#sendAndForget(back, text);
  }

  async #handle({ body, from }: { readonly body: unknown; readonly from: string }): Promise<unknown> {
    return this.#handler(body, from);
  }

  #toRefusal(cause: unknown, from: string): Refusal {
    if (cause instanceof Refusal) return cause;
    this.#log.error({ event: 'cluster.message_failed', err: cause, from }, 'a message of another node could not be handled');
    return wireRefusal('INTERNAL');
  }

  #sealRefusal(n: number, { code, details }: Refusal): string {
    try {
      return seal({ t: 'refusal', n, code, details });
    } catch {
      return seal({ t: 'refusal', n, code, details: {} });
    }
  }
}
