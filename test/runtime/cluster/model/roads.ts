import type { Clock } from '../../../../runtime/clock.ts';
import type { Random } from '../../../../runtime/random.ts';
import type { Process } from './process.ts';

export type Service = 'redis' | 'store' | 'network';

/** How long messages take between a node and a service, and which are lost. */
export interface Weather {
  readonly lost: number;
  readonly slow: number;
  readonly slowMs: number;
}

export const FAIR: Weather = { lost: 0, slow: 0, slowMs: 0 };
const USUALLY_MS = 40;
const ANSWER_WITHIN_MS = 5_000;

/** The roads between nodes and services. A node is one machine: all its processes share them. */
export class Roads {
  readonly time: Clock;
  readonly #random: Random;
  readonly #cut = new Set<string>();
  readonly #weather: Record<Service, Weather> = { redis: FAIR, store: FAIR, network: FAIR };

  constructor(time: Clock, random: Random) {
    this.time = time;
    this.#random = random;
  }

  cut(node: string, service: Service): void {
    this.#cut.add(`${node} ${service}`);
  }

  heal(node: string, service: Service): void {
    this.#cut.delete(`${node} ${service}`);
  }

  setWeather(service: Service, weather: Weather): void {
    this.#weather[service] = weather;
  }

  /** Milliseconds; Infinity: never. */
  travelMs(node: string, service: Service): number {
    const { lost, slow, slowMs } = this.#weather[service];
    if (this.#cut.has(`${node} ${service}`) || this.#random() < lost) return Number.POSITIVE_INFINITY;
    return Math.ceil(this.#random() * (this.#random() < slow ? slowMs : USUALLY_MS));
  }

  /** A question and its answer. Rejects when that takes too long: whether it took effect is then unknown. */
  call<T>(process: Process, service: Service, run: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = process.clock.after(ANSWER_WITHIN_MS, () => reject(new Error(`the ${service} did not answer in time`)));
      this.travel(process, service, () => {
        const answer = run();
        this.travel(process, service, () =>
          process.deliver(() => {
            giveUp();
            resolve(answer);
          }),
        );
      });
    });
  }

  travel(process: Process, service: Service, arrive: () => void): void {
    const ms = this.travelMs(process.node, service);
    if (ms !== Number.POSITIVE_INFINITY) this.time.after(ms, arrive);
  }
}
