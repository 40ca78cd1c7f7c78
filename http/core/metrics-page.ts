import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Clock } from '../../runtime/clock.ts';

const MADE_IN_A_ROW = 10;
const MADE_EVERY_MS = 1_000;

/** Returns the previous page during a flood of requests, because the page is large and public. */
export class MetricsPage {
  readonly contentType: string;
  readonly #registry: Registry;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #making: Promise<string> | null = null;
  #last: string | null = null;
  #left = MADE_IN_A_ROW;
  #countedAt: number;

  constructor(registry: Registry, clock: Pick<Clock, 'monotonic'>) {
    this.#registry = registry;
    this.#clock = clock;
    this.#countedAt = clock.monotonic();
    this.contentType = registry.contentType;
  }

  async text(): Promise<string> {
    if (this.#making) return this.#making;
    const now = this.#clock.monotonic();
    this.#left = Math.min(MADE_IN_A_ROW, this.#left + (now - this.#countedAt) / MADE_EVERY_MS);
    this.#countedAt = now;
    if (this.#last !== null && this.#left < 1) return this.#last;
    this.#left -= 1;
    this.#making = this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async #make(): Promise<string> {
    const metrics: string[] = [];
    for (const { name } of this.#registry.getMetricsAsArray()) {
      await nextTurn();
      metrics.push(await this.#registry.getSingleMetricAsString(name));
    }
    this.#last = `${metrics.join('\n\n')}\n`;
    return this.#last;
  }
}
