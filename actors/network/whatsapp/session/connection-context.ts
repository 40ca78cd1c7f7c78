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

/** One logged-in socket, and all that its parts share. */
export interface ConnectionContext extends Login {
  readonly library: Library;
  readonly socket: Socket;
  /** What the library is not given, and what is written past it. */
  readonly frames: Frames;
  readonly signal: Signal;
  readonly keyHolders: KeyHolders;
  readonly chatSettings: Pick<ChatSettings, 'set'>;
  /** Devices of people, in memory and with the secrets. */
  readonly deviceLists: PossiblyExtendedCacheStore;
  /** By number or hidden: where chats of two are. */
  readonly addressing: Addressing;
  readonly account: Account;
  /** Whether a habit is switched on for this login. */
  readonly isHabit: (habit: Habit) => boolean;
  /** What of each chat is taken over at linking. */
  readonly history: HistoryWanted;
  /** null: the device has no proxy. */
  readonly tunnel: Tunnel | null;
  /** Resolves when the network has let this login in: before that nothing may be said to it. */
  readonly opened: Promise<void>;
  readonly findSent: NonNullable<OpenOrder['findSent']>;
  readonly secretsOf: NonNullable<OpenOrder['secretsOf']>;
  readonly quoted: NonNullable<OpenOrder['quoted']>;
  readonly whyNot: NonNullable<OpenOrder['whyNot']>;
  readonly openFile: OpenOrder['openFile'];
  /** What the account's devices agree on about labels. */
  readonly labels: Labels;
  /** How this login shows itself. */
  readonly appearance: { set(isAvailable: boolean): Promise<void> };
  /** What they agree on about archived, pinned, muted and unread chats. */
  readonly chatMarks: ChatMarks;
  readonly mex: Mex;
  /** null: the operator gave no way to catalogues. */
  readonly catalog: CatalogClient | null;
  /** Counts of channels that are asked for. */
  readonly watches: { watch(channel: string): void };
  readonly clock: Clock;
  readonly log: Logger;
  tell(event: ConnectionEvent): void;
  /** Tells what must not be lost; `stored` runs once, when the receiver says that it is. */
  keep(event: KeptEvent, stored: () => void): void;
}

/** Runs work on a socket whose end may come at any moment: what fails then is done again on the next. */
export function attempt(context: Pick<ConnectionContext, 'log'>, what: string, work: () => Promise<unknown>): void {
  work().catch((cause) => context.log.debug({ err: cause }, `${what} failed`));
}
