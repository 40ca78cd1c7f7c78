import type { Cancel, Clock } from '../clock.ts';
import { Refusal, type RuntimeCode, runtimeRefusal } from '../errors.ts';
import { RingQueue } from '../ring-queue.ts';
import type { ActorKind } from './actor.ts';
import { Ask } from './ask.ts';
import type { Step, Tagged } from './behaviour.ts';
import type { Dispatcher, Runnable } from './dispatcher.ts';
import { type Body, Incarnation } from './incarnation.ts';
import { decideRestart } from './supervision.ts';

/**
 *   new ──wake──▶ waking ──args──▶ running ──▶ stopping (by its own effect) ──▶ restarting or ended, by policy
 *    ▲              │ failed          │ crash
 *    └── backoff ── restarting ◀──────┘            ending (from outside, in the middle of a step) ──▶ ended
 */
type Life = 'new' | 'waking' | 'running' | 'stopping' | 'ending' | 'restarting' | 'ended';

export type AnyKind = ActorKind<unknown, unknown, Tagged, Tagged, unknown>;

export interface Home {
  readonly kind: AnyKind;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  moment(): number;
  forget(cell: Cell): void;
  restartLater(cell: Cell, ms: number): void;
  failed(id: string, cause: unknown): void;
  gaveUp(id: string, cause: unknown): void;
}

const NEVER_FAILED: readonly number[] = [];

export class Cell implements Body, Runnable {
  readonly id: string;
  lastMessageAt: number;
  readonly #home: Home;
  #life: Life = 'new';
  #current: Incarnation | null = null;
  #first: Tagged | Ask | null = null;
  #more: RingQueue<Tagged | Ask> | null = null;
  #failures = NEVER_FAILED;
  #isReady = false;
  #isBusy = false;

  constructor(id: string, home: Home) {
    this.id = id;
    this.#home = home;
    this.lastMessageAt = home.moment();
  }

  get hasEnded(): boolean {
    return this.#life === 'ended';
  }

  get isAwake(): boolean {
    return this.#current !== null;
  }

  get waiting(): number {
    return this.#commandsWaiting() + (this.#current === null ? 0 : this.#current.waiting);
  }

  accept(command: Tagged | Ask): boolean {
    if (this.#first === null) this.#first = command;
    else if (!this.#queue(command)) return false;
    this.#getReady();
    return true;
  }

  beckon(): void {
    this.#getReady();
  }

  run(most: number): number {
    this.#isReady = false;
    this.lastMessageAt = this.#home.moment();
    if (this.#life === 'new') this.#wake();
    else if (this.#current !== null) return this.#handleUpTo(this.#current, most);
    return 1;
  }

  /** Stops the actor permanently, whatever its policy, no later than after the current step. */
  end(code: RuntimeCode = 'UNAVAILABLE'): void {
    if (this.#life === 'ended') return;
    if (this.#isBusy) this.#life = 'ending';
    else this.#leave(runtimeRefusal(code));
  }

  /** Ends an idle incarnation if `canSleep` agrees. The next message wakes the actor again. */
  sleep(): boolean {
    const life = this.#current;
    if (life === null || this.#isBusy || this.waiting > 0 || life.owesAnswers) return false;
    try {
      if (this.#home.kind.behaviour.canSleep?.(life.state) !== true) return false;
      this.#leave(runtimeRefusal('UNAVAILABLE'));
      return true;
    } catch (cause) {
      this.#crash(cause, null);
      return false;
    }
  }

  received(): void {
    this.#getReady();
  }

  isLiving(life: Incarnation): boolean {
    return this.#current === life;
  }

  startAgain(): void {
    this.#life = 'new';
    this.#getReady();
  }

  wantsToStop(): void {
    if (this.#life === 'running') this.#life = 'stopping';
  }

  timePassed(): void {
    this.#home.dispatcher.timePassed();
  }

  after(ms: number, receive: () => void): Cancel {
    return this.#home.clock.after(ms, receive);
  }

  #getReady(): void {
    if (this.#isReady || this.#isBusy || !(this.#life === 'running' || this.#life === 'new')) return;
    this.#isReady = true;
    this.#home.dispatcher.schedule(this);
  }

  #commandsWaiting(): number {
    return (this.#first === null ? 0 : 1) + (this.#more === null ? 0 : this.#more.size);
  }

  #queue(command: Tagged | Ask): boolean {
    this.#more ??= new RingQueue();
    if (this.#more.size + 1 >= this.#home.kind.mailboxLimit) return false;
    this.#more.push(command);
    return true;
  }

  #takeCommand(): Tagged | Ask | undefined {
    const command = this.#first;
    if (command === null) return undefined;
    this.#first = this.#more?.take() ?? null;
    return command;
  }

  #handleUpTo(life: Incarnation, most: number): number {
    const { kind, dispatcher } = this.#home;
    let handled = 0;
    let ask: Ask | null = null;
    this.#isBusy = true;
    try {
      for (; handled < most && this.#life === 'running'; handled += 1) {
        const message = life.takeEvent() ?? this.#takeCommand();
        if (message === undefined) break;
        if (message instanceof Ask) {
          ask = message;
          if (!ask.settled) this.#answer(life, ask);
        } else {
          ask = null;
          life.follow(kind.behaviour.handle(life.state, message, dispatcher.now()));
        }
      }
      this.#conclude();
    } catch (cause) {
      this.#crash(cause, ask);
    }
    return handled + 1;
  }

  #answer(life: Incarnation, ask: Ask): void {
    const step = this.#stepFor(life, ask);
    if (step !== null) life.follow(step);
    if (!ask.settled) life.hold(ask);
  }

  #stepFor(life: Incarnation, ask: Ask): Step<unknown, unknown> | null {
    try {
      return this.#home.kind.behaviour.handle(life.state, ask.command, this.#home.dispatcher.now());
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      ask.refuse(cause);
      return null;
    }
  }

  #wake(): void {
    this.#life = 'waking';
    try {
      const woken = this.#home.kind.wake(this.id);
      if (!(woken instanceof Promise)) return this.#start(woken);
      woken.then(
        (args) => this.#start(args),
        (cause: unknown) => this.#wakeFailed(cause),
      );
    } catch (cause) {
      this.#wakeFailed(cause);
    }
  }

  #wakeFailed(cause: unknown): void {
    if (this.#life !== 'waking') return;
    if (cause instanceof Refusal) this.#leave(cause);
    else this.#crash(cause, null);
  }

  #start(args: unknown): void {
    if (this.#life !== 'waking') return this.#abandon(args);
    if (args === null) return this.#leave(runtimeRefusal('NOT_FOUND'));
    const { kind, clock } = this.#home;
    const life = new Incarnation(this);
    this.#current = life;
    this.#life = 'running';
    this.#isBusy = true;
    try {
      life.effectHandler = kind.effectHandler(this.id, life, args);
      life.follow(kind.behaviour.start(args, clock.now()));
      this.#conclude();
    } catch (cause) {
      this.#crash(cause, null);
    }
  }

  #abandon(args: unknown): void {
    if (args !== null) this.#home.kind.abandon?.(this.id, args);
  }

  #conclude(): void {
    this.#isBusy = false;
    if (this.#life === 'stopping') this.#finish('normally', undefined);
    else if (this.#life === 'ending') this.#leave(runtimeRefusal('UNAVAILABLE'));
    else if (this.waiting > 0) this.#getReady();
  }

  #crash(cause: unknown, inHand: Ask | null): void {
    this.#isBusy = false;
    this.#home.failed(this.id, cause);
    inHand?.refuseWith('UNAVAILABLE');
    if (this.#life === 'ending') this.#leave(runtimeRefusal('UNAVAILABLE'));
    else this.#finish('in failure', cause);
  }

  #finish(ended: 'normally' | 'in failure', cause: unknown): void {
    const { kind, clock } = this.#home;
    const verdict = decideRestart(kind.policy, ended, this.#failures, clock.monotonic());
    if (verdict.do === 'restart') return this.#restart(verdict.afterMs, verdict.failures);
    // After a normal stop, the queued messages have not been handled, so their callers may try
    // another node.
    this.#leave(runtimeRefusal(ended === 'normally' ? 'ELSEWHERE' : 'UNAVAILABLE'));
    if (verdict.do === 'escalate') this.#home.gaveUp(this.id, cause);
  }

  #restart(afterMs: number, failures: readonly number[]): void {
    this.#failures = failures;
    this.#life = 'restarting';
    this.#endLife();
    this.#home.restartLater(this, afterMs);
  }

  #leave(why: Refusal): void {
    this.#life = 'ended';
    this.#home.forget(this);
    this.#endLife();
    for (let left = this.#takeCommand(); left !== undefined; left = this.#takeCommand()) {
      if (left instanceof Ask) left.refuse(why);
    }
  }

  #endLife(): void {
    const life = this.#current;
    this.#current = null;
    try {
      life?.end();
    } catch (cause) {
      this.#home.failed(this.id, cause);
    }
  }
}
