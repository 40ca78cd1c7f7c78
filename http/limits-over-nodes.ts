import type { Counted, Counting, SlidingWindow } from '../runtime/cluster/port.ts';
import { type Limits, LimitsInMemory, type Verdict } from './limits.ts';

export interface LimitsOverNodesPorts {
  readonly counting: Counting;
  /** How many nodes share the calls. */
  nodes(): number;
  /** The nodes cannot count together: said once, and again only after they could. */
  failed(cause: unknown): void;
}

/**
 * Limits that hold over all nodes, in one question to Redis at most a call (many calls share one), by Redis' own clock. While Redis does not
 * answer nobody waits for it: each node lets its share of a limit through, less what came through it in the window before. So while it is
 * away and for a window after, more than the limit passes only where calls move from node to node, and at most twice as much.
 */
export class LimitsOverNodes implements Limits {
  readonly #ports: LimitsOverNodesPorts;
  readonly #own = new LimitsInMemory();
  #isTogether = true;

  constructor(ports: LimitsOverNodesPorts) {
    this.#ports = ports;
  }

  async take(key: string, max: number, windowMs: number, now: number): Promise<Verdict> {
    return (await this.takeAll([{ key, max, windowMs }], now))[0]!;
  }

  takeAll(windows: readonly SlidingWindow[], now: number): readonly Verdict[] | Promise<readonly Verdict[]> {
    const counted = this.#ports.counting.count(windows);
    return counted === null ? this.#share(windows, now) : this.#together(counted, windows, now);
  }

  async #together(counted: Promise<readonly Counted[]>, windows: readonly SlidingWindow[], now: number): Promise<readonly Verdict[]> {
    try {
      const answers = await counted;
      this.#isTogether = true;
      if (answers.every(({ ok }) => ok)) this.#own.note(windows, now);
      return answers.map((answer, i) => ({ ...answer, limit: windows[i]!.max }));
    } catch (cause) {
      if (this.#isTogether) this.#ports.failed(cause);
      this.#isTogether = false;
      return this.#share(windows, now);
    }
  }

  #share(windows: readonly SlidingWindow[], now: number): readonly Verdict[] {
    const nodes = Math.max(1, this.#ports.nodes());
    const shares = windows.map((window) => ({ ...window, max: Math.ceil(window.max / nodes) }));
    return this.#own.takeAll(shares, now).map((verdict, i) => ({ ...verdict, limit: windows[i]!.max }));
  }
}
