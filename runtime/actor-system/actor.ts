import type { Behaviour, ReplyTo, Tagged } from './behaviour.ts';
import type { RestartPolicy } from './supervision.ts';

// biome-ignore lint/suspicious/noExplicitAny: only `any` fits an invariant type parameter
type Asking = { readonly replyTo: ReplyTo<any> };
type AskType<C> = C extends Asking & { readonly type: infer T } ? T : never;
type AskOf<C, T> = Omit<Extract<C, Asking & { readonly type: T }>, 'replyTo'> & { readonly type: T };
type AnswerOf<C, T> = Extract<C, { readonly type: T }> extends { readonly replyTo: ReplyTo<infer A> } ? A : never;

/** An actor's address. It is valid even if the actor is asleep, restarting or on another node. */
export interface ActorRef<Command extends Tagged> {
  readonly kind: string;
  readonly id: string;
  /** Throws a Refusal (OVERLOADED) if the mailbox is full; the command is then dropped. */
  tell(command: Exclude<Command, Asking>): void;
  /** Rejects with OVERLOADED, TIMED_OUT (10 s), UNAVAILABLE, NOT_FOUND or the actor's Refusal. */
  ask<T extends AskType<Command>>(command: AskOf<Command, T>, timeoutMs?: number): Promise<AnswerOf<Command, T>>;
}

/** Accepts any number of events. Events for an incarnation that has ended are dropped. */
export interface Self<Event> {
  readonly id: string;
  receive(event: Event): void;
}

export interface EffectHandler<Effect> {
  perform(effect: Effect): void;
  /** Called when the incarnation ends. Must not throw or reject. */
  release?(): unknown;
}

export interface ActorKind<Args, State, Command extends Tagged, Event extends Tagged, Effect> {
  readonly behaviour: Behaviour<Args, State, Command, Event, Effect>;
  readonly policy: RestartPolicy;
  /** Maximum number of queued commands. The actor's own events are never rejected. */
  readonly mailboxLimit: number;
  /** Idle time in ms after which the actor sleeps, if `canSleep` agrees. If absent, it never sleeps. */
  readonly sleepAfterMs?: number;
  /**
   * Loads an incarnation's arguments; null if no actor exists. If it throws a Refusal, the actor's
   * callers receive it.
   */
  wake(id: string): Args | null | Promise<Args | null>;
  abandon?(id: string, args: Args): void;
  effectHandler(id: string, self: Self<Event>, args: Args): EffectHandler<Effect>;
}
