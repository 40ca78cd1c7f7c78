import type { JournalEntry } from '../../actors/network/sandbox/protocol.ts';
import { expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import type { World } from './world.ts';

const PAGE = 10_000;

export class Presence {
  readonly #world: Pick<World, 'sandbox'>;
  readonly #online = new Set<string>();
  #after = 0;

  constructor(world: Pick<World, 'sandbox'>) {
    this.#world = world;
  }

  async news(): Promise<readonly JournalEntry[]> {
    const news: JournalEntry[] = [];
    for (let isMore = true; isMore; ) {
      const { entries } = expected(await this.#world.sandbox('GET', `/sandbox/journal?limit=${PAGE}&after=${this.#after}`), 200);
      for (const entry of entries) news.push(this.#take(entry));
      isMore = entries.length === PAGE;
    }
    return news;
  }

  async all(phones: readonly string[], withinMs: number): Promise<readonly JournalEntry[]> {
    const happened: JournalEntry[] = [];
    const found = await until(withinMs, async () => {
      happened.push(...(await this.news()));
      return phones.every((phone) => this.#online.has(phone));
    });
    if (!found) throw new Error(`${phones.filter((phone) => !this.#online.has(phone)).length} devices were not online in time`);
    return happened;
  }

  #take(entry: JournalEntry): JournalEntry {
    this.#after = entry.seq;
    if (entry.what === 'login') this.#online.add(entry.phone);
    else if (entry.what === 'logout') this.#online.delete(entry.phone);
    return entry;
  }
}
