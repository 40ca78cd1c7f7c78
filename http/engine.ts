import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import type { Sight } from '../actors/inbox/sight.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Devices } from '../store/devices.ts';
import type { IsStoreDown } from './errors.ts';
import type { Gate } from './gate.ts';
import type { Limits, Verdict } from './limits.ts';
import type { AnyRow, Ongoing } from './row.ts';

/** What the rows are run with. */
export interface Engine {
  readonly gate: Gate;
  readonly limits: Limits;
  readonly log: Logger;
  readonly clock: Clock;
  readonly devices: Pick<Devices, 'find'>;
  /** Keeps agents from chats and messages of others, in every row that names one under a device. */
  readonly sight: Pick<Sight, 'expectChat' | 'expectMessage'>;
  readonly isStoreDown: IsStoreDown;
  /** Whose `X-Forwarded-For` is believed; absent: nobody's. */
  readonly trustedProxies?: BlockList;
  /** Hold every answer against its row's `returns`; one that breaks it fails with 500. For tests. */
  readonly checkAnswers: boolean;
  /** True from the first moment of a stop: new work is refused. */
  isDraining(): boolean;
}

/** A row without its handler: all that documents it and decides about a call. */
export type RowFacts = Omit<AnyRow<unknown>, 'run'>;

/** What the engine remembers of one request, beside what hapi does. */
export interface Remembered {
  /** `X-Request-Id`. */
  id: string;
  /** clock.monotonic() at its arrival. */
  arrivedMs: number;
  /** The limit to show in the `RateLimit-*` headers; absent: the default one, untouched. */
  verdict?: Verdict;
  tenantId?: string;
  /** The caller's, however many proxies are between. */
  address?: string;
  row?: RowFacts;
  /** What the connection is handed to once the headers are out. */
  ongoing?: Ongoing;
}

declare module '@hapi/hapi' {
  interface RequestApplicationState extends Partial<Remembered> {}
}
