import type { DeliveryRow } from '../../store/deliveries.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Parcel } from './attempt.ts';
import type { Outcome } from './schedule.ts';
import { Sheet } from './sheet.ts';
import { headersOf } from './signature.ts';

/** One delivery as it is sent: its bytes, signed when it leaves with the secrets that hold then. */
export class Letter implements Parcel {
  readonly url: string;
  readonly webhook: WebhookRow;
  readonly row: DeliveryRow;
  readonly #sheet: Sheet;
  readonly #ended: (letter: Letter, outcome: Outcome) => void;

  constructor(webhook: WebhookRow, row: DeliveryRow, ended: (letter: Letter, outcome: Outcome) => void) {
    this.url = webhook.url;
    this.webhook = webhook;
    this.row = row;
    this.#sheet = new Sheet(row.body);
    this.#ended = ended;
  }

  get body(): Buffer {
    return this.#sheet.body;
  }

  headers(now: number): string[] {
    const { event_id: eventId, event } = this.row;
    const { secret, retired } = this.webhook;
    return headersOf({ secret, retired, eventId, event, sheet: this.#sheet, now });
  }

  ended(outcome: Outcome): void {
    this.#ended(this, outcome);
  }
}
