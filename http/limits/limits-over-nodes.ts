import type { Counted, Counting, SlidingWindow } from '../../runtime/cluster/port.ts';
import { LateCount } from '../../runtime/cluster/shared-counters.ts';
import { at } from '../../runtime/invariant.ts';
import { RecentCache } from '../../runtime/recent-cache.ts';
import { type LimitResult, type Limits, LimitsInMemory } from './limits.ts';

export interface LimitsOverNodesDeps {
  readonly counting: Counting;
  nodes(): number;
  failed(cause: unknown): void;
}

interface RedisAnswer {
  readonly cap: number;
  readonly until: number;
}

interface Unreported {
  readonly windows: readonly SlidingWindow[];
  readonly until: number;
}

const KEYS_REMEMBERED = 10_000;
const MAX_UNREPORTED = 10_000;

/**
 * Without Redis, each node admits its share of the limit. In total, less than twice the limit is
 * admitted.
 */
export class LimitsOverNodes implements Limits {
  readonly #deps: LimitsOverNodesDeps;
  readonly #own = new LimitsInMemory();
  readonly #lastAnswers = new RecentCache<string, RedisAnswer>(KEYS_REMEMBERED);
  #unreported: Unreported[] = [];
  #isTogether = true;

  constructor(deps: LimitsOverNodesDeps) {
    this.#deps = deps;
  }

  async take(key: string, max: number, windowMs: number, now: number): Promise<LimitResult> {
    return at(await this.takeAll([{ key, max, windowMs }], now), 0);
  }

  takeAll(windows: readonly SlidingWindow[], now: number): readonly LimitResult[] | Promise<readonly LimitResult[]> {
    const counted = this.#deps.counting.count(windows);
    return counted === null ? this.#share(windows, now, null) : this.#together(counted, windows, now);
  }

  async #together(counted: Promise<readonly Counted[]>, windows: readonly SlidingWindow[], now: number): Promise<readonly LimitResult[]> {
    try {
      const answers = await counted;
      this.#isTogether = true;
      // This node's own calls already fill a window, so Redis must have lost some of its counts.
      const isFull = windows.some((window) => this.#own.countOf(window, now) >= window.max);
      if (!isFull && answers.every(({ ok }) => ok)) this.#own.note(windows, now);
      this.#match(windows, answers, now);
      this.#report(now);
      if (isFull && answers.every(({ ok }) => ok)) return this.#own.takeAll(windows, now);
      return answers.map((answer, i) => ({ ...answer, limit: at(windows, i).max }));
    } catch (cause) {
      if (this.#isTogether) this.#deps.failed(cause);
      this.#isTogether = false;
      return this.#share(windows, now, cause instanceof LateCount ? cause.eventually : null);
    }
  }

  #share(windows: readonly SlidingWindow[], now: number, late: Promise<readonly Counted[]> | null): readonly LimitResult[] {
    const shares = windows.map((window) => ({ ...window, max: Math.min(this.#portion(window.max), this.#capOf(window, now)) }));
    const verdicts = this.#own.takeAll(shares, now).map((verdict, i) => ({ ...verdict, limit: at(windows, i).max }));
    const isLetThrough = verdicts.every(({ ok }) => ok);
    if (late) this.#await(late, windows, now, isLetThrough);
    else if (isLetThrough) this.#keepUnreported(windows, now);
    return verdicts;
  }

  #await(late: Promise<readonly Counted[]>, windows: readonly SlidingWindow[], now: number, isLetThrough: boolean): void {
    late.then(
      (answers) => this.#match(windows, answers, now),
      () => isLetThrough && this.#keepUnreported(windows, now),
    );
  }

  #match(windows: readonly SlidingWindow[], answers: readonly Counted[], now: number): void {
    for (const [i, window] of windows.entries()) {
      const cap = this.#own.countOf(window, now) + this.#portion(at(answers, i).remaining);
      this.#lastAnswers.set(window.key, { cap, until: now + window.windowMs });
    }
  }

  /**
   * Ignores a response that seems to come from the future, because it was recorded before the wall
   * clock was set back.
   */
  #capOf({ key, windowMs }: SlidingWindow, now: number): number {
    const answer = this.#lastAnswers.get(key);
    return answer && now < answer.until && answer.until <= now + windowMs ? answer.cap : Number.POSITIVE_INFINITY;
  }

  #portion(whole: number): number {
    return Math.ceil(whole / Math.max(1, this.#deps.nodes()));
  }

  #keepUnreported(windows: readonly SlidingWindow[], now: number): void {
    if (this.#unreported.length < MAX_UNREPORTED)
      this.#unreported.push({ windows, until: now + Math.max(...windows.map(({ windowMs }) => windowMs)) });
  }

  #report(now: number): void {
    if (this.#unreported.length === 0) return;
    const unreported = this.#unreported.filter(({ until }) => until > now);
    this.#unreported = [];
    for (const { windows } of unreported) {
      const reporting = this.#deps.counting.count(windows);
      if (reporting) reporting.catch(() => this.#keepUnreported(windows, now));
      else this.#keepUnreported(windows, now);
    }
  }
}
