import type { Cancel, Clock } from '../clock.ts';
import { at } from '../invariant.ts';
import { arrived } from './event-loop.ts';

interface Timer {
  readonly at: number;
  readonly seq: number;
  run: (() => void) | null;
}

interface Waited {
  readonly isBusy: () => boolean;
  readonly what: string;
  readonly withinMs: number;
  /** Counts completed operations. Each one starts the time limit again. */
  readonly completed: () => number;
}

const BUSY_WITHIN_MS = 120_000;

/** A clock that advances only on request, and lets pending work settle between due timers. */
export class VirtualClock implements Clock {
  readonly #start: number;
  readonly #letSettle: () => Promise<void>;
  readonly #timers: Timer[] = [];
  #elapsed = 0;
  #leapt = 0;
  #seq = 0;
  #cancelled = 0;
  #ran = 0;
  readonly #waited: Waited[] = [];

  constructor(start: number = Date.UTC(2026, 0, 1), letSettle: () => Promise<void> = settle) {
    this.#start = start;
    this.#letSettle = letSettle;
  }

  now(): number {
    return this.#start + this.#elapsed + this.#leapt;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, run: () => void): Cancel {
    if (Number.isNaN(ms)) throw new RangeError('a timer needs a number of milliseconds');
    const timer: Timer = { at: this.#elapsed + Math.max(0, ms), seq: this.#seq++, run };
    push(this.#timers, timer);
    return () => this.#cancel(timer);
  }

  get pending(): number {
    return this.#timers.length - this.#cancelled;
  }

  get ran(): number {
    return this.#ran;
  }

  /** Time stands still while `isBusy` returns true, for work that takes real time (such as a server). */
  waitWhile(
    isBusy: () => boolean,
    what: string,
    { withinMs = BUSY_WITHIN_MS, completed = () => 0 }: Partial<Pick<Waited, 'withinMs' | 'completed'>> = {},
  ): void {
    this.#waited.push({ isBusy, what, withinMs, completed });
  }

  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await this.#settle();
    for (let timer = this.#takeDue(until); timer !== null; timer = this.#takeDue(until)) {
      this.#elapsed = Math.max(this.#elapsed, timer.at);
      timer.run?.();
      timer.run = null;
      this.#ran += 1;
      await this.#settle();
    }
    this.#elapsed = Math.max(this.#elapsed, until);
  }

  advanceTo(at: number): Promise<void> {
    return this.advance(at - this.now());
  }

  /** Moves only the wall clock, and does not affect timers or `monotonic`. */
  jump(ms: number): void {
    this.#leapt += ms;
  }

  async #settle(): Promise<void> {
    await this.#letSettle();
    let [since, completed] = [performance.now(), 0];
    for (let busy = this.#firstBusy(); busy; busy = this.#firstBusy()) {
      if (busy.completed() !== completed) [since, completed] = [performance.now(), busy.completed()];
      if (performance.now() - since > busy.withinMs) throw new Error(`time stands still: ${busy.what} is busy without an end`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await this.#letSettle();
    }
  }

  #firstBusy(): Waited | undefined {
    return this.#waited.find(({ isBusy }) => isBusy());
  }

  #takeDue(until: number): Timer | null {
    for (let [top] = this.#timers; top !== undefined && top.at <= until; [top] = this.#timers) {
      const timer = pop(this.#timers);
      if (timer.run !== null) return timer;
      this.#cancelled -= 1;
    }
    return null;
  }

  #cancel(timer: Timer): void {
    if (timer.run === null) return;
    timer.run = null;
    this.#cancelled += 1;
    if (this.#cancelled > 1_000 && this.#cancelled > this.#timers.length / 2) this.#forgetCancelled();
  }

  #forgetCancelled(): void {
    const live = this.#timers.filter((timer) => timer.run !== null).sort((a, b) => (before(a, b) ? -1 : 1));
    this.#timers.length = 0;
    for (const timer of live) this.#timers.push(timer);
    this.#cancelled = 0;
  }
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.seq < b.seq);

function push(heap: Timer[], timer: Timer): void {
  let place = heap.push(timer) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = at(heap, parent);
    if (!before(timer, above)) break;
    heap[place] = above;
    place = parent;
  }
  heap[place] = timer;
}

function pop(heap: Timer[]): Timer {
  const top = at(heap, 0);
  const last = heap.pop();
  if (last !== undefined && last !== top) sinkFromTop(heap, last);
  return top;
}

function sinkFromTop(heap: Timer[], timer: Timer): void {
  let place = 0;
  for (let child = 1; child < heap.length; child = 2 * place + 1) {
    if (child + 1 < heap.length && before(at(heap, child + 1), at(heap, child))) child += 1;
    const below = at(heap, child);
    if (!before(below, timer)) break;
    heap[place] = below;
    place = child;
  }
  heap[place] = timer;
}

const TURNS = 8;
const MAX_TURNS = 20_000;
const IN_FLIGHT = /^(FSReq|CloseReq|GetAddrInfo|TCPConnect|PipeConnect|WriteWrap|ShutdownWrap|Zlib|HashRequest)/i;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does not wait for work in other threads and processes. */
export async function settle(): Promise<void> {
  do await turns();
  while (await arrived(turn));
}

async function turns(): Promise<void> {
  for (let count = 0; count < TURNS; count += 1) await turn();
  for (let count = TURNS; count < MAX_TURNS && process.getActiveResourcesInfo().some((name) => IN_FLIGHT.test(name)); count += 1)
    await turn();
}
