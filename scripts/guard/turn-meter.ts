import { type Clock, systemClock } from '../../runtime/clock.ts';

/**
 * A 1 ms timer reads the CPU time. The kernel counts in ticks, so figures are accurate only to 4
 * ms.
 */
export class TurnMeter {
  readonly #clock: Clock;
  #last = threadCpuMs();
  #worst = 0;
  #windowBegan: number;
  #inWindow = 0;
  #ticksInWindow = 0;
  #whenQuiet: (() => void) | null = null;
  #giveUpAt = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#windowBegan = clock.monotonic();
    this.#tick();
  }

  /** Starts a measurement. It excludes the CPU time that the current tick has used so far. */
  begin(): void {
    this.#last = threadCpuMs();
    this.#worst = 0;
  }

  /** Resolves to the longest tick when the loop is idle, or after a minute. */
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
    this.#ticksInWindow += 1;
    this.#worst = Math.max(this.#worst, used);
    this.#look();
    this.#clock.after(TICK_MS, () => this.#tick());
  }

  #look(): void {
    const now = this.#clock.monotonic();
    if (now - this.#windowBegan < WINDOW_MS || this.#ticksInWindow < WINDOW_TICKS) return;
    const isQuiet = this.#inWindow < QUIET_MS || now > this.#giveUpAt;
    this.#openWindow();
    if (!isQuiet) return;
    this.#whenQuiet?.();
    this.#whenQuiet = null;
  }

  #openWindow(): void {
    this.#windowBegan = this.#clock.monotonic();
    this.#inWindow = 0;
    this.#ticksInWindow = 0;
  }
}

const TICK_MS = 1;
const WINDOW_MS = 40;
/** A process that gets no CPU looks idle, so a window also needs this many ticks of its own timer. */
const WINDOW_TICKS = 25;
const QUIET_MS = 8;
const PATIENCE_MS = 60_000;

export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
