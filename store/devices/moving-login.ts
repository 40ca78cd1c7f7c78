/** A login that a device took over from another program, as the device's row remembers it. */
export type MoveStatus = 'checking' | 'dialling' | 'watching' | 'done' | 'failed';

export type MoveError = 'INTERRUPTED' | 'LOGIN_INCOMPLETE' | 'LOGIN_REFUSED' | 'MOVED_ELSEWHERE' | 'NOT_TAKEN_OVER' | 'NUMBER_MISMATCH';

export interface MovingLogin {
  /** Of the move-in. */
  readonly id: string;
  readonly status: Exclude<MoveStatus, 'checking'>;
  /** The number that the login claims, in digits, and its hidden address (`<digits>@lid`); null where the source has none. */
  readonly phone: string;
  readonly lid: string | null;
  /** Until when another program that uses the login would show itself, epoch ms; null before the first dial succeeded. */
  readonly until: number | null;
  readonly error: MoveError | null;
}
