/**
 * An incoming call, which a linked device cannot answer. `callEnded` follows: twice for an answered
 * call (when the phone answers and when the call ends), once for any other call.
 */
export interface CallFacts {
  readonly token: string;
  readonly callId: string;
  readonly video: boolean;
  readonly group?: string;
  readonly at: number;
}

/** `answered`, `rejected`: on the phone, or rejected here. `ended`: an answered call is over. */
export const CALL_OUTCOMES = ['answered', 'missed', 'rejected', 'ended'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export interface CallEnd {
  readonly token: string;
  readonly callId: string;
  readonly outcome: CallOutcome;
  /** Call duration; null if the call was not answered, or if it is unknown when it was answered. */
  readonly durationMs: number | null;
  readonly at: number;
}
