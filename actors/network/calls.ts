/** A call that starts. `callEnded` follows when the call is answered and when it is over. */
export interface CallFacts {
  readonly token: string;
  readonly callId: string;
  readonly video: boolean;
  readonly group?: string;
  readonly at: number;
}

/** `rejected`: on the phone or by this device. `ended`: an answered call has ended. */
export const CALL_OUTCOMES = ['answered', 'missed', 'rejected', 'ended'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export interface CallEnd {
  readonly token: string;
  readonly callId: string;
  readonly outcome: CallOutcome;
  readonly durationMs: number | null;
  readonly at: number;
}
