export type MoveStatus = 'checking' | 'dialling' | 'watching' | 'done' | 'failed';

export type MoveError = 'INTERRUPTED' | 'LOGIN_INCOMPLETE' | 'LOGIN_REFUSED' | 'MOVED_ELSEWHERE' | 'NOT_TAKEN_OVER' | 'NUMBER_MISMATCH';

export interface MovingLogin {
  readonly id: string;
  readonly status: Exclude<MoveStatus, 'checking'>;
  /** The number in digits, and the hidden address (`<digits>@lid`) or null if the source lacks it. */
  readonly phone: string;
  readonly lid: string | null;
  /** How long to watch for another program using the login; null before dialling. */
  readonly until: number | null;
  readonly error: MoveError | null;
}
