import { type Clock, systemClock } from '../../runtime/clock.ts';

/**
 * Measures the CPU time of this process's event-loop ticks. A 1 ms timer reads the CPU time of the main
 * thread once in each longer tick. The largest difference between two readings is therefore the CPU time of
 * the longest tick, plus at most 1 ms. The kernel counts in ticks of its own, so a figure is accurate to
 * about 4 ms.
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

  /** Resets the measurement, excluding the CPU time of the calling tick. */
  begin(): void {
    this.#last = threadCpuMs();
    this.#worst = 0;
  }

  /**
   * Returns the CPU time in ms of the longest tick since `begin`. Resolves when the loop is idle, or after
   * a minute.
   */
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
/**
 * The loop counts as idle when it has used less than QUIET_MS of CPU time in a window. The meter alone uses
 * about 1 ms.
 */
const WINDOW_MS = 40;
const QUIET_MS = 8;
const PATIENCE_MS = 60_000;

/** Returns the CPU time used by the calling thread, in ms. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
