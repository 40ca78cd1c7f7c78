export type MoveStatus = 'checking' | 'dialling' | 'watching' | 'done' | 'failed';

export type MoveError = 'INTERRUPTED' | 'LOGIN_INCOMPLETE' | 'LOGIN_REFUSED' | 'MOVED_ELSEWHERE' | 'NOT_TAKEN_OVER' | 'NUMBER_MISMATCH';

export interface MovingLogin {
  readonly id: string;
  readonly status: Exclude<MoveStatus, 'checking'>;
  /** The number in digits and its hidden address (`<digits>@lid`); null when the source has none. */
  readonly phone: string;
  readonly lid: string | null;
  /** Until then another program using the login would show itself, epoch ms; null before dialling. */
  readonly until: number | null;
  readonly error: MoveError | null;
}
