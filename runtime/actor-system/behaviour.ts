/**
 * The contract between an actor's logic and the runtime. A behaviour maps a state and a message to
 * the next state and a list of effects. The runtime performs the effects, delivers timers and
 * restarts the actor after a failure, so a behaviour can be tested without a clock or a network.
 */

export interface Tagged {
  readonly type: string;
}

export interface TaggedEffect {
  readonly do: string;
}

declare const answered: unique symbol;

export interface ReplyTo<in out Answer> {
  readonly [answered]?: (answer: Answer) => Answer;
}

export type CoreEffect<Event> =
  | { readonly do: 'reply'; readonly to: object; readonly value: unknown }
  | { readonly do: 'refuse'; readonly to: object; readonly error: Error }
  /** Replaces a timer with the same key. If the old timer's event is already queued, it is dropped. */
  | { readonly do: 'after'; readonly key: string; readonly ms: number; readonly receive: Event }
  | { readonly do: 'cancel'; readonly key: string }
  /** Stops the actor after the step's other effects; the restart policy decides what happens next. */
  | { readonly do: 'stop' };

export const reply = <A>(to: ReplyTo<A>, value: A): CoreEffect<never> => ({ do: 'reply', to, value });
export const refuse = <A>(to: ReplyTo<A>, error: Error): CoreEffect<never> => ({ do: 'refuse', to, error });
export const after = <E>(key: string, ms: number, receive: E): CoreEffect<E> => ({ do: 'after', key, ms, receive });
export const cancel = (key: string): CoreEffect<never> => ({ do: 'cancel', key });
export const stop: CoreEffect<never> = { do: 'stop' };

export type Step<State, Effect> = readonly [state: State, ...effects: Effect[]];

/** An actor's pure logic: it never awaits, logs, or uses a clock or randomness. */
export interface Behaviour<Args, State, Command extends Tagged, Event extends Tagged, Effect> {
  readonly kind: string;
  start(args: Args, now: number): Step<State, Effect | CoreEffect<Event>>;
  /**
   * A Refusal thrown while handling an ask rejects that ask and leaves the state unchanged. Any
   * other error crashes the actor.
   */
  handle(state: State, msg: Command | Event, now: number): Step<State, Effect | CoreEffect<Event>>;
  /** Called only when the mailbox is empty. If absent, the actor never sleeps. */
  canSleep?(state: State): boolean;
}

export function unreachable(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
