import { createHmac } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { pick } from './buyers.ts';

/** Data for connecting a store. */
export interface StoreConnection {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly random: Random;
  readonly secret: string;
  /** Returns the current URL. Nodes behind one name come and go. */
  url(): URL;
  /** Called when a delivery ends. */
  ended(delivery: Delivery): void;
}

export interface Delivery {
  readonly topic: string;
  readonly body: string;
  /** Whether the response was successful. If not, it is unknown whether the webhook arrived. */
  readonly isAccepted: boolean;
  /** Epoch ms. */
  readonly sentAt: number;
  readonly endedAt: number;
}

export const signed = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('base64');

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Returns the delay of a webhook: usually short, sometimes long enough that later ones overtake it. */
export function lateness(random: Random): number {
  const [least, most] = pick(
    [
      [0, 2 * SECOND],
      [0, 2 * SECOND],
      [0, 2 * SECOND],
      [0, 20 * SECOND],
      [MINUTE, 5 * MINUTE],
    ] as const,
    random,
  );
  return Math.floor(least + random() * (most - least));
}
