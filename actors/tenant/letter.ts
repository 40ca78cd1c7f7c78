import type { DeliveryRow } from '../../store/deliveries.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Parcel } from './attempt.ts';
import type { Outcome } from './schedule.ts';
import { headersOf } from './signature.ts';

/** One delivery as it is sent: its bytes, signed when it leaves with the secrets that hold then. */
export class Letter implements Parcel {
  readonly url: string;
  readonly body: Buffer;
  readonly webhook: WebhookRow;
  readonly row: DeliveryRow;
  readonly #ended: (letter: Letter, outcome: Outcome) => void;

  constructor(webhook: WebhookRow, row: DeliveryRow, ended: (letter: Letter, outcome: Outcome) => void) {
    this.url = webhook.url;
    this.webhook = webhook;
    this.row = row;
    this.body = Buffer.from(row.body);
    this.#ended = ended;
  }

  headers(now: number): string[] {
    const { event_id: eventId, event } = this.row;
    const { secret, retired } = this.webhook;
    const isBoth = retired !== undefined && now < retired.until;
    return headersOf({ secret, ...(isBoth && { retired: retired.secret }), eventId, event, body: this.body, now });
  }

  ended(outcome: Outcome): void {
    this.#ended(this, outcome);
  }
}
