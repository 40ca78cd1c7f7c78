/**
 * Calls of others as a device hears of them: it never answers. A call rings (`call`), and what becomes of it is told as `callEnded`: once when it was
 * answered on the phone and once when that call is over, or once when nobody took it.
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

/** `answered`: on the phone. `rejected`: on the phone, or by this device. `missed`: nobody took it. `ended`: one that was answered is over. */
export const CALL_OUTCOMES = ['answered', 'missed', 'rejected', 'ended'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export interface CallEnd {
  readonly token: string;
  readonly callId: string;
  readonly outcome: CallOutcome;
  /** Of one that was answered, where it is known when. */
  readonly durationMs: number | null;
  readonly at: number;
}
