import type { Cancel, Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';

/** Error for everything that a process awaits when it dies. */
export class Dead extends Error {
  override readonly name = 'MongoClientClosedError';
}

/** Kills a process after a given number of operations of this kind. */
export interface Countdown {
  readonly kind: 'read' | 'write' | 'effect';
  left: number;
  readonly when: 'before' | 'after';
}

/**
 * A process of a node. Timers, responses, requests and network events reach it through `deliver`, so that it can be
 * paused and killed. After its death, its code runs until its promises have rejected, but no longer affects anything.
 */
export class Process {
  readonly node: string;
  readonly boot: string;
  readonly clock: Clock;
  /** Random stream of its own connections, independent of other processes. */
  readonly random: Random;
  /** When the process dies by itself; null for never. */
  countdown: Countdown | null = null;
  readonly #time: Clock;
  #life: 'running' | 'paused' | 'killed' = 'running';
  readonly #held: (() => void)[] = [];
  #skewMs = 0;
  readonly #waiting = new Set<(cause: Error) => void>();
  readonly #deaths: (() => void)[] = [];

  constructor(node: string, boot: string, time: Clock, random: Random) {
    this.random = random;
    this.node = node;
    this.boot = boot;
    this.#time = time;
    this.clock = {
      now: () => Math.floor(time.now() + this.#skewMs),
      monotonic: () => time.monotonic(),
      after: (ms, run) => this.#after(ms, run),
    };
  }

  get name(): string {
    return `${this.node}/${this.boot}`;
  }

  get isRunning(): boolean {
    return this.#life === 'running';
  }

  get isKilled(): boolean {
    return this.#life === 'killed';
  }

  /** Runs a callback now, or once the process resumes. */
  deliver(run: () => void): void {
    if (this.#life === 'running' && this.#held.length === 0) run();
    else if (this.#life !== 'killed') this.#held.push(run);
  }

  /** Delivers a response from outside. Rejects with Dead if the process dies first. */
  answered<T>(begin: (resolve: (value: T) => void, reject: (cause: unknown) => void) => void): Promise<T> {
    if (this.isKilled) return Promise.reject(new Dead('the process is dead'));
    return new Promise((resolve, reject) => {
      const die = (cause: Error): void => reject(cause);
      this.#waiting.add(die);
      const over = (run: () => void): void =>
        this.deliver(() => {
          this.#waiting.delete(die);
          run();
        });
      begin(
        (value) => over(() => resolve(value)),
        (cause) => over(() => reject(cause)),
      );
    });
  }

  gate<T>(promise: Promise<T>): Promise<T> {
    // A dead process awaits nothing, so a failure has no handler.
    promise.catch(() => {});
    return this.answered((resolve, reject) => void promise.then(resolve, reject));
  }

  /** Counts an operation. Returns whether the process dies before or after it; null if it survives. */
  diesAt(kind: Countdown['kind']): Countdown['when'] | null {
    const { countdown } = this;
    if (countdown?.kind !== kind) return null;
    countdown.left -= 1;
    if (countdown.left > 0) return null;
    this.countdown = null;
    return countdown.when;
  }

  onDeath(run: () => void): void {
    this.#deaths.push(run);
  }

  /** Pauses the process, like SIGSTOP or a garbage collection. */
  pause(): void {
    if (this.#life === 'running') this.#life = 'paused';
  }

  resume(): void {
    if (this.#life !== 'paused') return;
    this.#life = 'running';
    this.#catchUp();
  }

  /** Kills the process, like SIGKILL. */
  kill(): void {
    if (this.isKilled) return;
    this.#life = 'killed';
    this.#held.length = 0;
    for (const die of [...this.#waiting]) die(new Dead('the process died'));
    this.#waiting.clear();
    for (const run of this.#deaths) run();
  }

  /** Changes its wall clock by `ms`. */
  jump(ms: number): void {
    this.#skewMs += ms;
  }

  #catchUp(): void {
    this.#time.after(0, () => {
      if (this.#life !== 'running') return;
      this.#held.shift()?.();
      if (this.#held.length > 0) this.#catchUp();
    });
  }

  #after(ms: number, run: () => void): Cancel {
    if (this.isKilled) return () => {};
    let isCancelled = false;
    const cancel = this.#time.after(ms, () => this.deliver(() => void (isCancelled || run())));
    return () => {
      isCancelled = true;
      cancel();
    };
  }
}
