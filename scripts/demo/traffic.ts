import { pause, systemClock } from '../../runtime/clock.ts';
import { expected } from '../faults/caller.ts';
import type { DemoDevice } from './tenant.ts';
import type { World } from './world.ts';

const EVERY_MS = 250;
const MAX_SHOWN = 500;

export interface Verdict {
  readonly accepted: number;
  readonly lost: number;
  readonly twice: number;
  readonly dropped: number;
}

export class Traffic {
  readonly #world: World;
  readonly #devices: readonly DemoDevice[];
  readonly #promised = new Map<string, string[]>();
  #isRunning = true;
  #senders: Promise<unknown> = Promise.resolve();
  accepted = 0;
  refused = 0;

  constructor(world: World, devices: readonly DemoDevice[]) {
    this.#world = world;
    this.#devices = devices;
  }

  start(): void {
    this.#senders = Promise.all(this.#devices.map((device) => this.#sendOn(device)));
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#senders;
  }

  async verdict(): Promise<Verdict> {
    const found = await Promise.all(this.#devices.map((device) => this.#arrivedFor(device)));
    const dropped = await this.#dropped();
    const sum = (of: (one: { lost: number; twice: number }) => number): number => found.reduce((total, one) => total + of(one), 0);
    return { accepted: this.accepted, lost: sum(({ lost }) => lost), twice: sum(({ twice }) => twice), dropped };
  }

  async #sendOn(device: DemoDevice): Promise<void> {
    for (let n = 1; this.#isRunning; n += 1) {
      await this.#sendOne(device, n);
      await pause(systemClock, EVERY_MS);
    }
  }

  /** If a call gets no response, the message may have been accepted, so the call is not retried. */
  async #sendOne({ id, number, customer }: DemoDevice, n: number): Promise<void> {
    const body = `Shop ${number}, order ${n}`;
    const order = { chat_id: `+${customer}`, type: 'text', body };
    const answer = await this.#world
      .call(number + n)('POST', `/v1/sessions/${id}/messages`, order)
      .catch(() => null);
    if (answer?.status !== 202) {
      this.refused += 1;
      return;
    }
    this.accepted += 1;
    this.#promised.set(customer, [...(this.#promised.get(customer) ?? []), body]);
  }

  async #arrivedFor({ customer }: DemoDevice): Promise<{ lost: number; twice: number }> {
    const { messages }: { messages: readonly { body: string }[] } = expected(
      await this.#world.sandbox('GET', `/sandbox/phones/${customer}/messages?limit=${MAX_SHOWN}`),
      200,
    );
    const arrived = new Map<string, number>();
    for (const { body } of messages) arrived.set(body, (arrived.get(body) ?? 0) + 1);
    const promised = this.#promised.get(customer) ?? [];
    return {
      lost: promised.filter((body) => !arrived.has(body)).length,
      twice: [...arrived.values()].filter((times) => times > 1).length,
    };
  }

  async #dropped(): Promise<number> {
    const { entries }: { entries: readonly { what: string }[] } = expected(
      await this.#world.sandbox('GET', '/sandbox/journal?limit=10000'),
      200,
    );
    return entries.filter(({ what }) => what === 'duplicate').length;
  }
}
