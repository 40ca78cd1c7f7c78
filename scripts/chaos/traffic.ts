import { pause, systemClock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer } from '../faults/caller.ts';
import type { World } from './world.ts';

/** Each send goes to a different phone, so that sends can be told apart in the journal. */
export interface Send {
  readonly to: string;
  readonly status: number | null;
  readonly id: string | null;
}

export interface Ledger {
  readonly sends: Send[];
  readonly written: string[];
}

export interface Rates {
  readonly sends: number;
  readonly writes: number;
}

const RATES: Rates = { sends: 30, writes: 6 };
const CALLERS = 24;
const WRITERS = 4;

/** If a call gets no response, its caller continues with a new message instead of retrying. */
export class Traffic {
  readonly ledger: Ledger = { sends: [], written: [] };
  readonly #world: World;
  readonly #random: Random;
  #isOn = false;
  #serial = 0;
  #people: Promise<unknown> = Promise.resolve();

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  start({ sends, writes }: Rates = RATES): void {
    this.#isOn = true;
    const callers = Array.from({ length: CALLERS }, () => this.#again((CALLERS / sends) * 1_000, () => this.#send()));
    const writers = Array.from({ length: WRITERS }, () => this.#again((WRITERS / writes) * 1_000, () => this.#write()));
    this.#people = Promise.all([...callers, ...writers]);
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#people;
  }

  async #again(meanMs: number, turn: () => Promise<void>): Promise<void> {
    while (this.#isOn) {
      await pause(systemClock, meanMs * (0.5 + this.#random()));
      if (this.#isOn) await turn();
    }
  }

  async #send(): Promise<void> {
    const gateway = this.#pick(this.#world.running);
    const device = this.#pick(this.#world.devices);
    if (!gateway || !device) return;
    const to = `62812${10_000_000 + this.#next()}`;
    const answer = await gateway
      .call('POST', `/v1/sessions/${device.id}/messages`, { chat_id: to, type: 'text', body: `to ${to}`, connect_only: false })
      .catch((): Answer | null => null);
    this.ledger.sends.push({ to, status: answer?.status ?? null, id: answer?.status === 202 ? answer.body.id : null });
  }

  async #write(): Promise<void> {
    const device = this.#pick(this.#world.devices);
    if (!device) return;
    const body = `from ${this.#next()}`;
    const writer = `62899${10_000_000 + Math.floor(this.#random() * 100)}`;
    const { status } = await this.#world.sandbox('POST', `/sandbox/phones/${writer}/messages`, { to: device.phone, body });
    if (status === 201) this.ledger.written.push(body);
  }

  #next(): number {
    this.#serial += 1;
    return this.#serial;
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }
}
