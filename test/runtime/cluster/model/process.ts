import type { Cancel, Clock } from '../../../../runtime/clock.ts';

/** One process of a node: its timers run and answers reach it only while it is not paused. Monotonic time goes on meanwhile. */
export class Process {
  readonly node: string;
  readonly boot: string;
  readonly clock: Clock;
  readonly #time: Clock;
  #life: 'running' | 'paused' | 'killed' = 'running';
  #held: (() => void)[] = [];
  #skewMs = 0;

  constructor(node: string, boot: string, time: Clock) {
    this.node = node;
    this.boot = boot;
    this.#time = time;
    this.clock = {
      now: () => time.now() + this.#skewMs,
      monotonic: () => time.monotonic(),
      after: (ms, run) => this.#after(ms, run),
    };
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

  /** SIGSTOP, or a garbage collection without end. */
  pause(): void {
    if (this.#life === 'running') this.#life = 'paused';
  }

  /** SIGCONT: what came meanwhile happens now, one after the other as the event loop would have it. */
  resume(): void {
    if (this.#life !== 'paused') return;
    this.#life = 'running';
    this.#catchUp();
  }

  /** SIGKILL. */
  kill(): void {
    this.#life = 'killed';
    this.#held = [];
  }

  /** Somebody sets the clock on its wall. */
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
    let isCancelled = false;
    const cancel = this.#time.after(ms, () => this.deliver(() => void (isCancelled || run())));
    return () => {
      isCancelled = true;
      cancel();
    };
  }
}
