import type { Behaviour, ReplyTo, Tagged } from './behaviour.ts';
import type { RestartPolicy } from './supervision.ts';

// biome-ignore lint/suspicious/noExplicitAny: "answers anything" has no other spelling for an invariant type parameter
type Asking = { readonly replyTo: ReplyTo<any> };
type AskType<C> = C extends Asking & { readonly type: infer T } ? T : never;
type AskOf<C, T> = Omit<Extract<C, Asking & { readonly type: T }>, 'replyTo'> & { readonly type: T };
type AnswerOf<C, T> = Extract<C, { readonly type: T }> extends { readonly replyTo: ReplyTo<infer A> } ? A : never;

/**
 * All that the rest of the system can do with an actor. An address, not the actor itself: it works whether the actor is
 * awake, asleep, restarting, or (later) on another node.
 */
export interface ActorRef<Command extends Tagged> {
  readonly kind: string;
  readonly id: string;
  /** Fire and forget. Throws Refusal OVERLOADED when the mailbox is full: nothing was accepted. */
  tell(command: Exclude<Command, Asking>): void;
  /** Rejects with Refusal OVERLOADED, TIMED_OUT (default 10 s), UNAVAILABLE (stopped or restarted meanwhile), NOT_FOUND, or what the actor refused with. */
  ask<T extends AskType<Command>>(command: AskOf<Command, T>, timeoutMs?: number): Promise<AnswerOf<Command, T>>;
}

/** How an actor's effects report back, on the lane that is never full. Events of an ended incarnation are dropped. */
export interface Self<Event> {
  readonly id: string;
  receive(event: Event): void;
}

/** Carries out one incarnation's effects. Made at each start, released at each end. */
export interface EffectHandler<Effect> {
  perform(effect: Effect): void;
  /** Called when the incarnation ends (stop, crash, sleep): close sockets and subscriptions. Must not throw or reject; a promise resolves when that is done. */
  release?(): unknown;
}

/** Everything the runtime needs to run actors of one kind. */
export interface ActorKind<Args, State, Command extends Tagged, Event extends Tagged, Effect> {
  readonly behaviour: Behaviour<Args, State, Command, Event, Effect>;
  readonly policy: RestartPolicy;
  /** Commands that may wait in one mailbox; one more is refused. Own events are never refused. */
  readonly mailboxLimit: number;
  /** Asleep after this long without a message, if the behaviour's `canSleep` agrees. Absent: never. */
  readonly sleepAfterMs?: number;
  /**
   * Loads what an incarnation needs before it starts, so it is called again after a crash; null: there is no such actor
   * (callers get NOT_FOUND). Messages wait meanwhile. A Refusal is an expected "not here, not now": callers get it,
   * and nobody failed. Any other rejection counts as a failure of the actor.
   */
  wake(id: string): Args | null | Promise<Args | null>;
  /** The actor was stopped while it woke: release what `wake` returned. */
  abandon?(id: string, args: Args): void;
  /** `args` is what `wake` just gave: each start, a restart too, wakes anew. */
  effectHandler(id: string, self: Self<Event>, args: Args): EffectHandler<Effect>;
}
