import { Refusal } from '../../../../runtime/errors.ts';

export class Refused extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

const NOBODY_CAN_READ_IT = /All encryptions failed/;
const NO_GROUP = /item-not-found|forbidden|not-authorized/;

export function notInGroup(cause: unknown): never {
  throw cause instanceof Error && NO_GROUP.test(cause.message) ? new Refused('not_in_group') : cause;
}

/** Returns the reason if the failure is final. Returns null if a retry may succeed. */
export function reasonOf(cause: unknown): string | null {
  if (cause instanceof Refused) return cause.reason;
  if (cause instanceof Refusal && cause.code === 'NOT_FOUND') return 'media_gone';
  return cause instanceof Error && NOBODY_CAN_READ_IT.test(cause.message) ? 'no_session' : null;
}
