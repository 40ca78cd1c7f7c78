/** ELSEWHERE: this node did not handle the message, so the caller can safely retry. */
export type RuntimeCode = 'OVERLOADED' | 'TIMED_OUT' | 'UNAVAILABLE' | 'NOT_FOUND' | 'ELSEWHERE';

/** An expected refusal with a stable code. Any other thrown value crashes its actor. */
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

export const codeOf = (cause: unknown): unknown =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;

export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
