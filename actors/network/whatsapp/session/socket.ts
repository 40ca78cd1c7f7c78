import { EventEmitter } from 'node:events';
import type { GroupMetadata, PossiblyExtendedCacheStore, SignalKeyStore } from '@whiskeysockets/baileys';
import type { Logger } from 'pino';
import type { Account } from '../keys/account.ts';
import type { AuthenticationCreds, Library, Socket } from '../library.ts';
import { repair } from '../repairs/repairs.ts';
import type { Frames } from './noise-handler.ts';
import { silentLogger } from './silent-logger.ts';
import type { Tunnel } from './tunnel.ts';

export interface SocketParts {
  readonly library: Library;
  readonly url: string | null;
  readonly build: number | null;
  readonly tunnel: Tunnel | null;
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly account: Account;
  readonly log: Logger;
  readonly makeSignalRepository?: Library['DEFAULT_CONNECTION_CONFIG']['makeSignalRepository'];
  readonly devices?: PossiblyExtendedCacheStore;
  readonly wantsAll?: boolean;
}

/** Node's symbol for a method that handles rejections of listeners. */
const REJECTED = Symbol.for('nodejs.rejection');

export function openSocket(parts: SocketParts): { readonly socket: Socket; readonly frames: Frames } {
  const { library, url, build, tunnel, creds, keys, account, log, makeSignalRepository, devices, wantsAll = false } = parts;
  const make = (): Socket =>
    library.makeWASocket({
      ...(url !== null && { waWebSocketUrl: url }),
      ...(build !== null && { version: [2, 3_000, build] }),
      ...(tunnel && waysThrough(tunnel)),
      auth: { creds, keys },
      logger: silentLogger(log),
      // Disabled, because the library's limit would set a timer and capture two stack traces per frame.
      connectTimeoutMs: 0,
      browser: library.Browsers.ubuntu('Chrome'),
      markOnlineOnConnect: false,
      emitOwnEvents: false,
      // Disabled, because requested messages are read from the store, which also works after a restart.
      enableRecentMessageCache: false,
      syncFullHistory: wantsAll,
      shouldSyncHistoryMessage: () => false,
      // Check the signatures of other devices' changes, which the library does not do by default.
      appStateMacVerification: { patch: true, snapshot: true },
      userDevicesCache: devices ?? account.devices,
      msgRetryCounterCache: account.retries,
      callOfferCache: account.calls,
      placeholderResendCache: account.asked,
      cachedGroupMetadata: async (jid) => untimed(account.groups.get(jid)),
      ...(makeSignalRepository && { makeSignalRepository }),
    });
  const { socket, frames } = library.withFrames(() => harmless(make, log));
  repair(socket, { library, creds, account, devices: devices ?? account.devices });
  return { socket, frames };
}

/** Removes the group's timer, which the library would add to the stanza, but the web client does not. */
function untimed(group: GroupMetadata | undefined): GroupMetadata | undefined {
  if (!group) return undefined;
  const { ephemeralDuration: _, ...others } = group;
  return others;
}

const waysThrough = ({ agent, uploads, downloads }: Tunnel) => ({ agent, fetchAgent: uploads, options: downloads });

/** Catches errors of the library's asynchronous handlers, which would otherwise end the process. */
function harmless(make: () => Socket, log: Logger): Socket {
  const before = EventEmitter.captureRejections;
  EventEmitter.captureRejections = true;
  try {
    const socket = make();
    const note = (cause: unknown): void => log.debug({ err: cause }, 'the client library reported an error');
    Object.assign(socket.ws, { [REJECTED]: note });
    return socket;
  } finally {
    EventEmitter.captureRejections = before;
  }
}

/** Rejects pending queries immediately; the library would leave them pending for a minute. */
export function endSocket(socket: Socket): void {
  socket.end(undefined).catch(() => {});
  socket.ws.emit('error', new Error('the connection was closed'));
}
