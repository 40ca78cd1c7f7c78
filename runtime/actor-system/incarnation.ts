import type { Cancel } from '../clock.ts';
import { RingQueue } from '../ring-queue.ts';
import type { EffectHandler, Self } from './actor.ts';
import { Ask, type Holder } from './ask.ts';
import type { CoreEffect, Step, Tagged } from './behaviour.ts';

export interface Body {
  readonly id: string;
  after(ms: number, receive: () => void): Cancel;
  received(): void;
  isLiving(life: Incarnation): boolean;
  wantsToStop(): void;
  timePassed(): void;
}

/**
 * A keyed timer and, once the timer fires, its queued event. It is ignored if the key has a newer
 * timer by then.
 */
class Tick {
  readonly key: string;
  readonly event: Tagged;
  cancel: Cancel | null = null;

  constructor(key: string, event: Tagged) {
    this.key = key;
    this.event = event;
  }
}

type Effect = CoreEffect<Tagged>;

export class Incarnation implements Self<Tagged>, Holder {
  state: unknown = undefined;
  effectHandler: EffectHandler<unknown> | null = null;
  readonly #body: Body;
  #events: RingQueue<Tagged | Tick> | null = null;
  #timers: Map<string, Tick> | null = null;
  #held: Set<Ask> | null = null;

  constructor(body: Body) {
    this.#body = body;
  }

  get id(): string {
    return this.#body.id;
  }

  get waiting(): number {
    return this.#events === null ? 0 : this.#events.size;
  }

  get owesAnswers(): boolean {
    return this.#held !== null && this.#held.size > 0;
  }

  receive(event: Tagged): void {
    if (this.#body.isLiving(this)) this.#queue(event);
  }

  takeEvent(): Tagged | undefined {
    if (this.#events === null) return undefined;
    for (let next = this.#events.take(); next !== undefined; next = this.#events.take()) {
      if (!(next instanceof Tick)) return next;
      if (this.#timers?.get(next.key) === next) {
        this.#timers.delete(next.key);
        return next.event;
      }
    }
    return undefined;
  }

  follow(step: Step<unknown, unknown>): void {
    this.state = step[0];
    for (let i = 1; i < step.length; i += 1) this.#carryOut(step[i] as Effect);
  }

  hold(ask: Ask): void {
    ask.holder = this;
    this.#held ??= new Set();
    this.#held.add(ask);
  }

  release(ask: Ask): void {
    this.#held?.delete(ask);
  }

  end(): void {
    if (this.#timers !== null) for (const tick of this.#timers.values()) tick.cancel?.();
    this.#events = null;
    this.#timers = null;
    if (this.#held !== null) for (const ask of [...this.#held]) ask.refuseWith('UNAVAILABLE');
    void this.effectHandler?.release?.();
  }

  #carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'reply':
        return asked(effect.to).answer(effect.value);
      case 'refuse':
        return asked(effect.to).refuse(effect.error);
      case 'after':
        return this.#after(effect.key, effect.ms, effect.receive);
      case 'cancel':
        return this.#cancel(effect.key);
      case 'stop':
        return this.#body.wantsToStop();
      default:
        this.effectHandler?.perform(effect);
        this.#body.timePassed();
    }
  }

  #after(key: string, ms: number, event: Tagged): void {
    this.#cancel(key);
    const tick = new Tick(key, event);
    tick.cancel = this.#body.after(ms, () => this.#queue(tick));
    this.#timers ??= new Map();
    this.#timers.set(key, tick);
  }

  #cancel(key: string): void {
    this.#timers?.get(key)?.cancel?.();
    this.#timers?.delete(key);
  }

  #queue(event: Tagged | Tick): void {
    this.#events ??= new RingQueue<Tagged | Tick>();
    this.#events.push(event);
    this.#body.received();
  }
}

function asked(to: object): Ask {
  if (to instanceof Ask) return to;
  throw new TypeError('an answer goes to the replyTo of a question');
}
