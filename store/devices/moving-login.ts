export type MoveStatus = 'checking' | 'dialling' | 'watching' | 'done' | 'failed';

export type MoveError = 'INTERRUPTED' | 'LOGIN_INCOMPLETE' | 'LOGIN_REFUSED' | 'MOVED_ELSEWHERE' | 'NOT_TAKEN_OVER' | 'NUMBER_MISMATCH';

export interface MovingLogin {
  readonly id: string;
  readonly status: Exclude<MoveStatus, 'checking'>;
  /** The number in digits and its hidden address (`<digits>@lid`); null if the source lacks it. */
  readonly phone: string;
  readonly lid: string | null;
  /** Until when another program that uses the login is expected to show up, epoch ms; null before dialling. */
  readonly until: number | null;
  readonly error: MoveError | null;
}
