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
  /** Restricts agents to their own chats and messages in every row that names one under a device. */
  readonly visibility: Pick<Visibility, 'expectChat' | 'expectMessage'>;
  readonly numbers: Pick<NumberReader, 'chat' | 'digits'>;
  readonly isStoreDown: IsStoreDown;
  /** Whether the store is unreachable, so that a call would only wait for it. Absent: never. */
  readonly isStoreAway?: () => boolean;
  /** Absent in tests of other parts; calls are then not audited. */
  readonly audit?: AuditTrail;
  /** Proxies whose `X-Forwarded-For` is trusted; if absent, no proxy is trusted. */
  readonly trustedProxies?: BlockList;
  readonly intake: BodyIntake;
  readonly unread: UnreadAnswers;
  isKnownOrigin(origin: string): boolean;
  readonly heavyCalls: HeavyCalls;
  /** Whether every response is checked against its row's `returns`; a mismatch fails with 500. For tests. */
  readonly checkAnswers: boolean;
  isDraining(): boolean;
}

export type RowFacts = Omit<AnyRow<unknown>, 'run'>;

export interface Remembered {
  id: string;
  /** `clock.monotonic()` when the request arrived. */
  arrivedMs: number;
  /** The limit shown in the `RateLimit-*` headers; if absent, the unused default limit is shown. */
  verdict?: LimitResult;
  tenantId?: string;
  caller?: Caller;
  operator?: string;
  address?: string;
  row?: RowFacts;
  refusedWith?: string;
  /** Returns the row's result or throws its error, if it was served before hapi received the request. */
  outcome?: () => unknown;
  ongoing?: Ongoing;
}

declare module '@hapi/hapi' {
  interface RequestApplicationState extends Partial<Remembered> {}
}
