/** `callEnded` follows once; for an answered call twice, when it is answered and when it ends. */
export interface CallFacts {
  readonly token: string;
  readonly callId: string;
  readonly video: boolean;
  readonly group?: string;
  readonly at: number;
}

/** `rejected` means on the phone or by this device; `ended` means that an answered call is over. */
export const CALL_OUTCOMES = ['answered', 'missed', 'rejected', 'ended'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export interface CallEnd {
  readonly token: string;
  readonly callId: string;
  readonly outcome: CallOutcome;
  readonly durationMs: number | null;
  readonly at: number;
}
