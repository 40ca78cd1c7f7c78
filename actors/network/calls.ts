/**
 * An incoming call. A linked device rings but cannot answer. `call` reports the ringing.
 * `callEnded` follows: twice for an answered call (when the phone answers and when the call is
 * over), once for any other call.
 */
export interface CallFacts {
  readonly token: string;
  /** The network's id of the call. */
  readonly callId: string;
  readonly video: boolean;
  /** The group whose members are called. */
  readonly group?: string;
  readonly at: number;
}

/**
 * `answered`: the phone answered. `rejected`: the phone or this device rejected the call. `missed`:
 * no answer. `ended`: an answered call is over.
 */
export const CALL_OUTCOMES = ['answered', 'missed', 'rejected', 'ended'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export interface CallEnd {
  readonly token: string;
  readonly callId: string;
  readonly outcome: CallOutcome;
  /** Length of an answered call; null when it was not answered or the time of the answer is unknown. */
  readonly durationMs: number | null;
  readonly at: number;
}
