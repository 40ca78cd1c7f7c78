import type { Cancel, Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';

/** What everything that a process waits for is answered when it dies. */
export class Dead extends Error {
  override readonly name = 'MongoClientClosedError';
}

/** A process that dies when it has done so much more, of one kind. */
export interface Countdown {
  readonly kind: 'read' | 'write' | 'effect';
  left: number;
  readonly when: 'before' | 'after';
}

/**
 * One process of a node. Timers, answers, requests and what the network reports reach it through `deliver`, so that it can stand still and die. Its code
 * runs on after its death until its promises have rejected, but reaches nothing any more.
 */
export class Process {
  readonly node: string;
  readonly boot: string;
  readonly clock: Clock;
  /** Chance of its own lines, so that what one process does changes no other's. */
  readonly random: Random;
  /** When it dies by itself. */
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

  /** Runs it now, or once the process runs again. */
  deliver(run: () => void): void {
    if (this.#life === 'running' && this.#held.length === 0) run();
    else if (this.#life !== 'killed') this.#held.push(run);
  }

  /** An answer from outside; rejects with Dead where the process dies first. */
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
    return this.answered((resolve, reject) => void promise.then(resolve, reject));
  }

  /** Counts something that it does; gives whether it dies before or after that, null: it does not. */
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

  /** SIGSTOP, or a pause of the collector of garbage. */
  pause(): void {
    if (this.#life === 'running') this.#life = 'paused';
  }

  resume(): void {
    if (this.#life !== 'paused') return;
    this.#life = 'running';
    this.#catchUp();
  }

  /** SIGKILL. */
  kill(): void {
    if (this.isKilled) return;
    this.#life = 'killed';
    this.#held.length = 0;
    for (const die of [...this.#waiting]) die(new Dead('the process died'));
    this.#waiting.clear();
    for (const run of this.#deaths) run();
  }

  /** Its wall clock is set by so much. */
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
