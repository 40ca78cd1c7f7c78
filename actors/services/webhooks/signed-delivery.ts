import type { WaitingDelivery } from '../../../store/webhooks/deliveries.ts';
import type { WebhookRow } from '../../../store/webhooks/webhooks.ts';
import type { HttpJob } from './delivery-attempt.ts';
import type { Outcome } from './retry-schedule.ts';
import { headersOf } from './signature.ts';
import { SigningBuffer } from './signing-buffer.ts';

/** A delivery is signed only when it is sent, with the secrets that are valid then. */
export class SignedDelivery implements HttpJob {
  readonly tenantId: string;
  readonly url: string;
  readonly webhook: WebhookRow;
  readonly row: WaitingDelivery;
  readonly #signingBuffer: SigningBuffer;
  readonly #ended: (signedDelivery: SignedDelivery, outcome: Outcome) => void;

  constructor(webhook: WebhookRow, row: WaitingDelivery, ended: (signedDelivery: SignedDelivery, outcome: Outcome) => void) {
    this.tenantId = webhook.tenant_id;
    this.url = webhook.url;
    this.webhook = webhook;
    this.row = row;
    this.#signingBuffer = new SigningBuffer(row.body);
    this.#ended = ended;
  }

  get body(): Buffer {
    return this.#signingBuffer.body;
  }

  headers(now: number): string[] {
    const { event_id: eventId, event } = this.row;
    const { secret, retired, format } = this.webhook;
    return headersOf({ secret, retired, eventId, event, format, signingBuffer: this.#signingBuffer, now });
  }

  ended(outcome: Outcome): void {
    this.#ended(this, outcome);
  }
}
