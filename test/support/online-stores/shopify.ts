import { lateness, type StoreConnection, signed } from './platform.ts';
import { postTo } from './post.ts';

/** A later response counts as missing. */
const ANSWERED_WITHIN_MS = 5_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Eight retries within four hours, with growing intervals. */
const REPEATED_AFTER_MS = [10 * SECOND, 30 * SECOND, 2 * MINUTE, 6 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE, 120 * MINUTE];
const DOUBLED = 0.2;

/**
 * Simulates a Shopify store: it waits five seconds for a response, repeats a webhook eight times with the same id and
 * original body, delivers in random order, and sends some webhooks twice.
 */
export class ShopifyStore {
  readonly #connection: StoreConnection;
  /** Number of webhooks not accepted yet. */
  open = 0;
  repeated = 0;
  givenUp = 0;
  /** Number of requests that wait for a response. */
  inFlight = 0;
  #ids = 0;

  constructor(connection: StoreConnection) {
    this.#connection = connection;
  }

  /** Sends the webhook of an event after a random delay, possibly twice. */
  tell(topic: string, body: string): void {
    const { random } = this.#connection;
    this.#ids += 1;
    const id = `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`;
    this.#deliverIn(lateness(random), { topic, body, id, triggeredAt: this.#connection.clock.now(), tries: 0 });
    if (random() < DOUBLED) this.#deliverIn(lateness(random), { topic, body, id, triggeredAt: this.#connection.clock.now(), tries: 0 });
  }

  #deliverIn(ms: number, webhook: Webhook): void {
    this.open += 1;
    this.#connection.clock.after(ms, () => void this.#deliver(webhook));
  }

  async #deliver(webhook: Webhook): Promise<void> {
    const { clock, url, ended } = this.#connection;
    const sentAt = clock.now();
    this.inFlight += 1;
    const request = {
      url: url(),
      version: '1.1',
      headers: this.headersOf(webhook),
      body: webhook.body,
      withinMs: ANSWERED_WITHIN_MS,
    } as const;
    const { status } = await postTo(clock, request);
    this.inFlight -= 1;
    this.open -= 1;
    const isAccepted = status >= 200 && status < 300;
    ended({ topic: webhook.topic, body: webhook.body, isAccepted, sentAt, endedAt: clock.now() });
    if (isAccepted) return;
    const after = REPEATED_AFTER_MS[webhook.tries];
    if (after === undefined) {
      this.givenUp += 1;
      return;
    }
    this.repeated += 1;
    this.#deliverIn(after, { ...webhook, tries: webhook.tries + 1 });
  }

  headersOf({ topic, body, id, triggeredAt }: Omit<Webhook, 'tries'>): Readonly<Record<string, string>> {
    return {
      'Content-Type': 'application/json',
      'User-Agent': 'Shopify-Captain-Hook',
      'X-Shopify-Topic': topic,
      'X-Shopify-Hmac-Sha256': signed(this.#connection.secret, body),
      'X-Shopify-Shop-Domain': 'toko-kenanga.myshopify.com',
      'X-Shopify-API-Version': '2026-10',
      'X-Shopify-Webhook-Id': id,
      'X-Shopify-Event-Id': `event-${id}`,
      'X-Shopify-Triggered-At': new Date(triggeredAt).toISOString(),
    };
  }
}

interface Webhook {
  readonly topic: string;
  readonly body: string;
  readonly id: string;
  readonly triggeredAt: number;
  readonly tries: number;
}
