import type { Behaviour, ReplyTo, Tagged } from './behaviour.ts';
import type { RestartPolicy } from './supervision.ts';

// biome-ignore lint/suspicious/noExplicitAny: "answers anything" has no other spelling for an invariant type parameter
type Asking = { readonly replyTo: ReplyTo<any> };
type AskType<C> = C extends Asking & { readonly type: infer T } ? T : never;
type AskOf<C, T> = Omit<Extract<C, Asking & { readonly type: T }>, 'replyTo'> & { readonly type: T };
type AnswerOf<C, T> = Extract<C, { readonly type: T }> extends { readonly replyTo: ReplyTo<infer A> } ? A : never;

/** An actor's address. It works whether the actor is awake, asleep, restarting, or on another node. */
export interface ActorRef<Command extends Tagged> {
  readonly kind: string;
  readonly id: string;
  /** Sends a command. Throws Refusal OVERLOADED if the mailbox is full; the command is then not accepted. */
  tell(command: Exclude<Command, Asking>): void;
  /**
   * Sends a command and resolves to the answer. Rejects with OVERLOADED, TIMED_OUT (default 10 s),
   * UNAVAILABLE (the actor was stopped or restarted in the meantime), NOT_FOUND, or the actor's own
   * Refusal.
   */
  ask<T extends AskType<Command>>(command: AskOf<Command, T>, timeoutMs?: number): Promise<AnswerOf<Command, T>>;
}

/** Receives events. They are never refused for lack of space; events for an ended incarnation are dropped. */
export interface Self<Event> {
  readonly id: string;
  receive(event: Event): void;
}

/** Performs the effects of one incarnation. Created at each start, released at each end. */
export interface EffectHandler<Effect> {
  perform(effect: Effect): void;
  /** Closes sockets and subscriptions when the incarnation ends. Must not throw or reject. */
  release?(): unknown;
}

export interface ActorKind<Args, State, Command extends Tagged, Event extends Tagged, Effect> {
  readonly behaviour: Behaviour<Args, State, Command, Event, Effect>;
  readonly policy: RestartPolicy;
  /** Maximum number of waiting commands; further ones are refused, but never the actor's own events. */
  readonly mailboxLimit: number;
  /** Time in ms without a message after which the actor sleeps, if `canSleep` agrees. Absent: never. */
  readonly sleepAfterMs?: number;
  /**
   * Loads an incarnation's arguments before it starts, also after a crash. Messages wait in the
   * meantime. Returns null if the actor does not exist (callers get NOT_FOUND). A Refusal is an
   * expected "not here, not now": callers receive it, and it does not count as a failure. Any other
   * rejection counts as a failure of the actor.
   */
  wake(id: string): Args | null | Promise<Args | null>;
  /** Releases the result of `wake`. Called if the actor was stopped while waking. */
  abandon?(id: string, args: Args): void;
  /**
   * Creates the effect handler. `args` is the result of the preceding `wake`, which is called again
   * for each start or restart.
   */
  effectHandler(id: string, self: Self<Event>, args: Args): EffectHandler<Effect>;
}
