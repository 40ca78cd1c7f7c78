import { type Clock, systemClock } from '../../runtime/clock.ts';

/**
 * Measures the CPU of the turns of this process's event loop. A timer of one millisecond reads the CPU of the main thread: it runs
 * once in each turn that is longer, so the most that two readings are apart is the CPU of the longest turn, plus a millisecond at most.
 * The kernel counts in ticks, so one figure is exact to about four milliseconds.
 */
export class TurnMeter {
  readonly #clock: Clock;
  #last = threadCpuMs();
  #worst = 0;
  #windowBegan: number;
  #inWindow = 0;
  #whenQuiet: (() => void) | null = null;
  #giveUpAt = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#windowBegan = clock.monotonic();
    this.#tick();
  }

  /** Forgets what was measured, and the CPU of the turn that calls. */
  begin(): void {
    this.#last = threadCpuMs();
    this.#worst = 0;
  }

  /** CPU in ms of the longest turn since `begin`. Resolves when the loop has nothing more to do, or after a minute. */
  async worst(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#openWindow();
      this.#giveUpAt = this.#clock.monotonic() + PATIENCE_MS;
      this.#whenQuiet = resolve;
    });
    return this.#worst;
  }

  #tick(): void {
    const now = threadCpuMs();
    const used = now - this.#last;
    this.#last = now;
    this.#inWindow += used;
    this.#worst = Math.max(this.#worst, used);
    this.#look();
    this.#clock.after(TICK_MS, () => this.#tick());
  }

  #look(): void {
    const now = this.#clock.monotonic();
    if (now - this.#windowBegan < WINDOW_MS) return;
    const isQuiet = this.#inWindow < QUIET_MS || now > this.#giveUpAt;
    this.#openWindow();
    if (!isQuiet) return;
    this.#whenQuiet?.();
    this.#whenQuiet = null;
  }

  #openWindow(): void {
    this.#windowBegan = this.#clock.monotonic();
    this.#inWindow = 0;
  }
}

const TICK_MS = 1;
/** The loop is quiet when it used less CPU than this in a window of that length. The meter alone uses about 1 ms. */
const WINDOW_MS = 40;
const QUIET_MS = 8;
const PATIENCE_MS = 60_000;

/** CPU that the calling thread has used, in ms. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
