export interface Tagged {
  readonly type: string;
}

export interface TaggedEffect {
  readonly do: string;
}

declare const answered: unique symbol;

/** Where an answer of type `Answer` goes. Opaque: a behaviour can only hand it back to `reply` or `refuse`. */
export interface ReplyTo<in out Answer> {
  readonly [answered]?: (answer: Answer) => Answer;
}

/** Effects that every behaviour may use. Each actor adds its own. */
export type CoreEffect<Event> =
  | { readonly do: 'reply'; readonly to: object; readonly value: unknown }
  | { readonly do: 'refuse'; readonly to: object; readonly error: Error }
  /** Delivers the event `receive` in `ms`. A timer of the same key is replaced, and a tick of the old one already queued is dropped. */
  | { readonly do: 'after'; readonly key: string; readonly ms: number; readonly receive: Event }
  | { readonly do: 'cancel'; readonly key: string }
  /** Ends the actor once the step's other effects are done; the policy says whether for good. */
  | { readonly do: 'stop' };

export const reply = <A>(to: ReplyTo<A>, value: A): CoreEffect<never> => ({ do: 'reply', to, value });
export const refuse = <A>(to: ReplyTo<A>, error: Error): CoreEffect<never> => ({ do: 'refuse', to, error });
export const after = <E>(key: string, ms: number, receive: E): CoreEffect<E> => ({ do: 'after', key, ms, receive });
export const cancel = (key: string): CoreEffect<never> => ({ do: 'cancel', key });
export const stop: CoreEffect<never> = { do: 'stop' };

/** The next state, then what should happen because of it, in order. */
export type Step<State, Effect> = readonly [state: State, ...effects: Effect[]];

/** An actor with the world taken out: same inputs, same step, every time. No await, no clock, no randomness, no log inside. */
export interface Behaviour<Args, State, Command extends Tagged, Event extends Tagged, Effect> {
  readonly kind: string;
  /** Makes the first state of an incarnation. `now` is Unix epoch ms. */
  start(args: Args, now: number): Step<State, Effect | CoreEffect<Event>>;
  /**
   * Commands come from outside, events from the actor's own effects and timers. To throw a Refusal at a question refuses
   * it and leaves the state as it was; to throw anything else, or elsewhere, crashes the actor.
   */
  handle(state: State, msg: Command | Event, now: number): Step<State, Effect | CoreEffect<Event>>;
  /** May the runtime put the actor to sleep in this state? Asked only when its mailbox is empty; absent means never. */
  canSleep?(state: State): boolean;
}

export function unreachable(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
