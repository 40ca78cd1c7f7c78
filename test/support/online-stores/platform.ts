import { createHmac } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { pick } from './buyers.ts';

/** What a store is connected with. */
export interface StoreConnection {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly random: Random;
  readonly secret: string;
  /** The address as it is now: behind one name, nodes come and go. */
  url(): URL;
  /** A delivery ended. */
  ended(delivery: Delivery): void;
}

export interface Delivery {
  readonly topic: string;
  readonly body: string;
  /** It was answered with success; if not, nobody knows whether it arrived. */
  readonly isAccepted: boolean;
  /** Epoch ms. */
  readonly sentAt: number;
  readonly endedAt: number;
}

export const signed = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('base64');

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How late a webhook comes: mostly soon, sometimes much later than those after it. */
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
