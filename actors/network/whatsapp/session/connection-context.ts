import type { PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';
import type { Logger } from 'pino';
import type { Clock } from '../../../../runtime/clock.ts';
import type { Habit } from '../../../../store/devices/network-habits.ts';
import type { HistoryWanted } from '../../history.ts';
import type { ConnectionEvent, KeptEvent, OpenOrder } from '../../port.ts';
import type { CatalogClient } from '../catalog/catalog-client.ts';
import type { Account, Login } from '../keys/account.ts';
import type { KeyHolders } from '../keys/key-holders.ts';
import type { Library, Socket } from '../library.ts';
import type { Mex } from '../mex/mex-table.ts';
import type { Addressing } from '../outbound/address.ts';
import type { ChatSettings } from '../outbound/chat-settings.ts';
import type { ChatMarks } from '../questions/chat-marks-of.ts';
import type { Labels } from '../questions/label-book.ts';
import type { Signal } from '../signal/signal.ts';
import type { Frames } from './noise-handler.ts';
import type { Tunnel } from './tunnel.ts';

export interface ConnectionContext extends Login {
  readonly library: Library;
  readonly socket: Socket;
  readonly frames: Frames;
  readonly signal: Signal;
  readonly keyHolders: KeyHolders;
  readonly chatSettings: Pick<ChatSettings, 'set'>;
  readonly deviceLists: PossiblyExtendedCacheStore;
  readonly addressing: Addressing;
  readonly account: Account;
  readonly isHabit: (habit: Habit) => boolean;
  readonly history: HistoryWanted;
  readonly tunnel: Tunnel | null;
  /** Resolves when the network accepts this login. Nothing may be sent earlier. */
  readonly opened: Promise<void>;
  readonly findSent: NonNullable<OpenOrder['findSent']>;
  readonly secretsOf: NonNullable<OpenOrder['secretsOf']>;
  readonly quoted: NonNullable<OpenOrder['quoted']>;
  readonly whyNot: NonNullable<OpenOrder['whyNot']>;
  readonly openFile: OpenOrder['openFile'];
  readonly labels: Labels;
  readonly appearance: { set(isAvailable: boolean): Promise<void> };
  readonly chatMarks: ChatMarks;
  readonly mex: Mex;
  readonly catalog: CatalogClient | null;
  readonly watches: { watch(channel: string): void };
  readonly clock: Clock;
  readonly log: Logger;
  tell(event: ConnectionEvent): void;
  /** Calls `stored` once, when the receiver has stored the event. */
  keep(event: KeptEvent, stored: () => void): void;
}

/** Logs failures of `work`. The socket may close at any time, and the next connection tries again. */
export function attempt(context: Pick<ConnectionContext, 'log'>, what: string, work: () => Promise<unknown>): void {
  work().catch((cause) => context.log.debug({ err: cause }, `${what} failed`));
}
