import { lateness, type StoreConnection, signed } from './platform.ts';
import { postTo } from './post.ts';

const ANSWERED_WITHIN_MS = 60_000;
/** Number of failures in a row that disables the webhook. */
const DISABLED_AT = 7;
const AGAIN = 0.2;
const MINUTE = 60_000;

export type WooTopic = 'order.created' | 'order.updated';

/**
 * Simulates a WooCommerce store: the body is built when the job runs, not when the event occurs; quick changes of one
 * order share a job; it uses HTTP/1.0, does not repeat failed deliveries, and disables its webhook after seven
 * failures in a row.
 */
export class WooCommerceStore {
  readonly #connection: StoreConnection;
  readonly #jobs = new Set<string>();
  #failuresInARow = 0;
  #deliveries = 0;
  isActive = false;
  open = 0;
  lost = 0;
  inFlight = 0;

  constructor(connection: StoreConnection) {
    this.#connection = connection;
  }

  /** Saves the webhook, which is enabled only if its address returns exactly 200 for an unsigned request. */
  async activate(): Promise<boolean> {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': AGENT };
    this.inFlight += 1;
    const { clock, url } = this.#connection;
    const { status } = await postTo(clock, { url: url(), version: '1.0', headers, body: 'webhook_id=3', withinMs: ANSWERED_WITHIN_MS });
    this.inFlight -= 1;
    this.isActive = status === 200;
    return this.isActive;
  }

  /**
   * Schedules a job for a new or changed order, unless one is already waiting or running. `bodyNow` builds the body
   * when the job runs.
   */
  changed(topic: WooTopic, orderId: number, bodyNow: () => string): void {
    const job = `${topic} ${orderId}`;
    if (this.#jobs.has(job)) return;
    this.#jobs.add(job);
    this.#runIn(lateness(this.#connection.random), topic, bodyNow, () => this.#jobs.delete(job));
    if (this.#connection.random() < AGAIN) this.#runIn(MINUTE + lateness(this.#connection.random), topic, bodyNow, () => {});
  }

  #runIn(ms: number, topic: WooTopic, bodyNow: () => string, over: () => void): void {
    this.open += 1;
    this.#connection.clock.after(ms, () => void this.#deliver(topic, bodyNow(), over));
  }

  async #deliver(topic: WooTopic, body: string, over: () => void): Promise<void> {
    if (this.isActive) await this.#send(topic, body);
    this.open -= 1;
    over();
  }

  async #send(topic: WooTopic, body: string): Promise<void> {
    const { clock, url, ended } = this.#connection;
    const sentAt = clock.now();
    this.inFlight += 1;
    const request = { url: url(), version: '1.0', headers: this.headersOf(topic, body), body, withinMs: ANSWERED_WITHIN_MS } as const;
    const { status } = await postTo(clock, request);
    this.inFlight -= 1;
    const isAccepted = status >= 200 && status <= 302;
    ended({ topic, body, isAccepted, sentAt, endedAt: clock.now() });
    if (isAccepted) {
      this.#failuresInARow = 0;
      return;
    }
    this.lost += 1;
    this.#failuresInARow += 1;
    if (this.#failuresInARow === DISABLED_AT) this.isActive = false;
  }

  headersOf(topic: WooTopic, body: string): Readonly<Record<string, string>> {
    this.#deliveries += 1;
    return {
      'Content-Type': 'application/json',
      'User-Agent': AGENT,
      'X-WC-Webhook-Source': 'https://toko-melati.example/',
      'X-WC-Webhook-Topic': topic,
      'X-WC-Webhook-Resource': 'order',
      'X-WC-Webhook-Event': topic.slice('order.'.length),
      'X-WC-Webhook-Signature': signed(this.#connection.secret, body),
      'X-WC-Webhook-ID': '3',
      // Two deliveries in the same second share this id.
      'X-WC-Webhook-Delivery-ID': `of second ${Math.floor(this.#connection.clock.now() / 1_000)}`,
    };
  }
}

const AGENT = 'WooCommerce/10.9.1 Hookshot (WordPress/6.9)';
