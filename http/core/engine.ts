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

/** The dependencies of the rows. */
export interface Engine {
  readonly authenticator: Authenticator;
  readonly limits: Limits;
  readonly log: Logger;
  readonly clock: Clock;
  readonly devices: Pick<Devices, 'find'>;
  /** Keeps agents from chats and messages of others, in every row that names one under a device. */
  readonly visibility: Pick<Visibility, 'expectChat' | 'expectMessage'>;
  readonly numbers: Pick<NumberReader, 'chat' | 'digits'>;
  readonly isStoreDown: IsStoreDown;
  /** Would a call only wait for the store? Absent: never. */
  readonly isStoreAway?: () => boolean;
  /** Absent: acts leave no entries (tests of other parts). */
  readonly audit?: AuditTrail;
  /** Proxies whose `X-Forwarded-For` is trusted; absent: none. */
  readonly trustedProxies?: BlockList;
  readonly intake: BodyIntake;
  readonly unread: UnreadAnswers;
  /** Is a page of this `Origin` one of ours, or one that `CORS_ORIGINS` lets in? */
  isKnownOrigin(origin: string): boolean;
  readonly heavyCalls: HeavyCalls;
  /** Hold every answer against its row's `returns`; one that breaks it fails with 500. For tests. */
  readonly checkAnswers: boolean;
  /** True from the first moment of a stop: new work is refused. */
  isDraining(): boolean;
}

/** A row without its handler: all that documents it and decides about a call. */
export type RowFacts = Omit<AnyRow<unknown>, 'run'>;

/** The data of one request, beside hapi's. */
export interface Remembered {
  /** `X-Request-Id`. */
  id: string;
  /** clock.monotonic() at its arrival. */
  arrivedMs: number;
  /** The limit to show in the `RateLimit-*` headers; absent: the default one, untouched. */
  verdict?: LimitResult;
  tenantId?: string;
  /** Who calls, as soon as that is known. */
  caller?: Caller;
  /** The operator's name. */
  operator?: string;
  /** The caller's, however many proxies are between. */
  address?: string;
  row?: RowFacts;
  /** The code of the refusal that it is answered with. */
  refusedWith?: string;
  /** What came of it before hapi had it: the answer of its row, or what is thrown. */
  outcome?: () => unknown;
  /** Takes over the connection once the headers are sent. */
  ongoing?: Ongoing;
}

declare module '@hapi/hapi' {
  interface RequestApplicationState extends Partial<Remembered> {}
}
