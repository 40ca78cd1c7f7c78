/**
 * How the runtime itself refuses a caller: a full mailbox, no answer in time, an actor that is gone or was restarted meanwhile, nobody
 * there. ELSEWHERE: this node does not run the actor and did not look at the message, so asking again loses and doubles nothing.
 */
export type RuntimeCode = 'OVERLOADED' | 'TIMED_OUT' | 'UNAVAILABLE' | 'NOT_FOUND' | 'ELSEWHERE';

/** An expected "no" with a stable code. Anything thrown that is not a Refusal is a bug and crashes its actor. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, details: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
    this.details = details;
  }
}

export const runtimeRefusal = (code: RuntimeCode, details?: Readonly<Record<string, unknown>>, options?: ErrorOptions): Refusal =>
  new Refusal(code, details, options);

/** The code that the system or a library gave an error (`ENOENT`, 11000); undefined: none. */
export const codeOf = (cause: unknown): unknown =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;

/** What was thrown, as an Error. */
export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
