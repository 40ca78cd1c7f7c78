import type { Cancel } from '../../../../runtime/clock.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { child, el, query } from '../questions/query.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';

const MAX_WATCHED = 50;
/** How long to keep requesting a channel's counts after a post is sent or posts are read. */
const INTEREST_MS = 3_600_000;
/** Minimum time between requests. After each request, the network sends counts for 30 s to 10 min. */
const SHORTEST_MS = 30_000;

export class Watches {
  readonly #context: ConnectionContext;
  readonly #until = new RecentCache<string, number>(MAX_WATCHED);
  readonly #next = new Map<string, Cancel>();

  constructor(context: ConnectionContext) {
    this.#context = context;
  }

  watch(channel: string): void {
    this.#until.set(channel, this.#context.clock.now() + INTEREST_MS);
    if (!this.#next.has(channel)) this.#ask(channel);
  }

  end(): void {
    for (const cancel of this.#next.values()) cancel();
    this.#next.clear();
  }

  #ask(channel: string): void {
    this.#next.set(channel, () => {});
    attempt(this.#context, 'asking for counts', async () => {
      try {
        const ms = await watchChannel(this.#context, channel);
        if (this.#next.has(channel))
          this.#next.set(
            channel,
            this.#context.clock.after(Math.max(ms, SHORTEST_MS), () => this.#again(channel)),
          );
      } catch (cause) {
        this.#next.delete(channel);
        throw cause;
      }
    });
  }

  #again(channel: string): void {
    this.#next.delete(channel);
    if ((this.#until.get(channel) ?? 0) > this.#context.clock.now()) this.#ask(channel);
  }
}

async function watchChannel(context: ConnectionContext, channel: string): Promise<number> {
  const answer = await query(context, { xmlns: 'newsletter', type: 'set', to: channel, content: [el('live_updates', {}, [])] });
  return Number(child(answer, 'live_updates')?.attrs['duration'] ?? 0) * 1_000;
}
