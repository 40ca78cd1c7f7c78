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
  /** Null for the network's own address. */
  readonly url: string | null;
  /** The last part of the announced version; null for the library's own. */
  readonly build: number | null;
  /** Null if there is no proxy. */
  readonly tunnel: Tunnel | null;
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly account: Account;
  readonly log: Logger;
  readonly makeSignalRepository?: Library['DEFAULT_CONNECTION_CONFIG']['makeSignalRepository'];
  readonly devices?: PossiblyExtendedCacheStore;
  /** Whether to request the linking phone's whole history instead of the latest months. */
  readonly wantsAll?: boolean;
}

/**
 * Symbol for handling rejections of the library's emitters; each of its handlers may reject if a
 * connection ends midway.
 */
const REJECTED = Symbol.for('nodejs.rejection');

/** Opens the library's socket with its frames, without logs and history, and with our secrets and caches. */
export function openSocket(parts: SocketParts): { readonly socket: Socket; readonly frames: Frames } {
  const { library, url, build, tunnel, creds, keys, account, log, makeSignalRepository, devices, wantsAll = false } = parts;
  const make = (): Socket =>
    library.makeWASocket({
      ...(url !== null && { waWebSocketUrl: url }),
      ...(build !== null && { version: [2, 3_000, build] }),
      ...(tunnel && waysThrough(tunnel)),
      auth: { creds, keys },
      logger: silentLogger(log),
      // The library's own limit would set a timer and capture two stack traces for each frame.
      connectTimeoutMs: 0,
      browser: library.Browsers.ubuntu('Chrome'),
      // This device does not appear online; senders get receipts once messages are stored.
      markOnlineOnConnect: false,
      emitOwnEvents: false,
      // Requested messages are read from the store (outbound/resend.ts), also after a restart.
      enableRecentMessageCache: false,
      syncFullHistory: wantsAll,
      shouldSyncHistoryMessage: () => false,
      // By default, the library trusts changes of the account's other devices without checking their signatures.
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

/** Removes a group's timer, which the library writes on the stanza and the web client does not. */
function untimed(group: GroupMetadata | undefined): GroupMetadata | undefined {
  if (!group) return undefined;
  const { ephemeralDuration: _, ...others } = group;
  return others;
}

const waysThrough = ({ agent, uploads, downloads }: Tunnel) => ({ agent, fetchAgent: uploads, options: downloads });

/** Rejections of the library's asynchronous handlers are caught here; otherwise they would end the process. */
function harmless(make: () => Socket, log: Logger): Socket {
  const before = EventEmitter.captureRejections;
  EventEmitter.captureRejections = true;
  try {
    const socket = make();
    const note = (cause: unknown): void => log.debug({ err: cause }, 'the library failed at something');
    Object.assign(socket.ws, { [REJECTED]: note });
    return socket;
  } finally {
    EventEmitter.captureRejections = before;
  }
}

/**
 * Ends a socket and everything that waits for it; the library alone would leave its queries open
 * for a minute.
 */
export function endSocket(socket: Socket): void {
  socket.end(undefined).catch(() => {});
  socket.ws.emit('error', new Error('the connection was closed'));
}
