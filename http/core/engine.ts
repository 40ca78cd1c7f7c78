import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import type { AuditTrail } from '../../actors/services/audit/audit-trail.ts';
import type { Visibility } from '../../actors/services/conversations/visibility.ts';
import type { NumberReader } from '../../actors/services/identities/number-reader.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Devices } from '../../store/devices/devices.ts';
import type { HeavyCalls } from '../limits/heavy-calls.ts';
import type { LimitResult, Limits } from '../limits/limits.ts';
import type { Authenticator } from './authenticator-port.ts';
import type { BodyIntake } from './body-intake.ts';
import type { IsStoreDown } from './errors.ts';
import type { AnyRow, Caller, Ongoing } from './row.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface Engine {
  readonly authenticator: Authenticator;
  readonly limits: Limits;
  readonly log: Logger;
  readonly clock: Clock;
  readonly devices: Pick<Devices, 'find'>;
  /** Restricts agents to their own chats and messages, for paths that contain a chat or message id. */
  readonly visibility: Pick<Visibility, 'expectChat' | 'expectMessage'>;
  readonly numbers: Pick<NumberReader, 'chat' | 'digits'>;
  readonly isStoreDown: IsStoreDown;
  readonly isStoreAway?: () => boolean;
  readonly audit?: AuditTrail;
  readonly trustedProxies?: BlockList;
  readonly intake: BodyIntake;
  readonly unread: UnreadAnswers;
  isKnownOrigin(origin: string): boolean;
  readonly heavyCalls: HeavyCalls;
  /** True in tests. A response that does not match the endpoint's `returns` then fails with 500. */
  readonly checkAnswers: boolean;
  isDraining(): boolean;
}

export type RowFacts = Omit<AnyRow<unknown>, 'run'>;

export interface Remembered {
  id: string;
  arrivedMs: number;
  verdict?: LimitResult;
  tenantId?: string;
  caller?: Caller;
  operator?: string;
  address?: string;
  row?: RowFacts;
  refusedWith?: string;
  /** Set if the handler has already run without hapi. Returns its result or throws its error. */
  outcome?: () => unknown;
  ongoing?: Ongoing;
}

declare module '@hapi/hapi' {
  interface RequestApplicationState extends Partial<Remembered> {}
}
