import { EventEmitter } from 'node:events';
import type { PossiblyExtendedCacheStore, SignalKeyStore } from '@whiskeysockets/baileys';
import type { Logger } from 'pino';
import type { Account } from './account.ts';
import type { AuthenticationCreds, Library, proto, Socket } from './library.ts';
import { quietLogger } from './quiet.ts';
import { rememberLater } from './remember-later.ts';
import type { Tunnel } from './tunnel.ts';

export interface SocketParts {
  readonly library: Library;
  /** Null: the network's own address. */
  readonly url: string | null;
  /** Null: straight to the network. */
  readonly tunnel: Tunnel | null;
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly account: Account;
  readonly log: Logger;
  readonly makeSignalRepository?: Library['DEFAULT_CONNECTION_CONFIG']['makeSignalRepository'];
  readonly devices?: PossiblyExtendedCacheStore;
  readonly again?: (netId: string) => Promise<proto.IMessage | undefined>;
}

/** Both are made by the library, and each of its handlers may reject when a connection ends in its middle. */
const REJECTED = Symbol.for('nodejs.rejection');

/** A socket of the library: quiet, without history, with our own secrets and memory. */
export function openSocket(parts: SocketParts): Socket {
  const { library, url, tunnel, creds, keys, account, log, makeSignalRepository, devices, again } = parts;
  const make = (): Socket =>
    library.makeWASocket({
      ...(url !== null && { waWebSocketUrl: url }),
      ...(tunnel && waysThrough(tunnel)),
      auth: { creds, keys },
      logger: quietLogger(log),
      // It would set a timer and take two stack traces for each frame; a login that takes too long is its line's to end.
      connectTimeoutMs: 0,
      browser: library.Browsers.ubuntu('Chrome'),
      // What came in is told to the phone's other devices only by receipts of what was stored; and nobody sees us "online".
      markOnlineOnConnect: false,
      emitOwnEvents: false,
      syncFullHistory: false,
      shouldSyncHistoryMessage: () => false,
      userDevicesCache: devices ?? account.devices,
      msgRetryCounterCache: account.retries,
      callOfferCache: account.calls,
      placeholderResendCache: account.asked,
      cachedGroupMetadata: async (jid) => account.groups.get(jid),
      getMessage: async ({ id }) => (id ? again?.(id) : undefined),
      ...(makeSignalRepository && { makeSignalRepository }),
    });
  const socket = harmless(make, log);
  rememberLater(library, socket);
  return socket;
}

const waysThrough = ({ agent, uploads, downloads }: Tunnel) => ({ agent, fetchAgent: uploads, options: downloads });

/** What the library's asynchronous handlers reject with is heard here; otherwise it would end the process. */
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

/** Ends a socket and lets go of all that waits on it: the library alone leaves its questions open for a minute. */
export function endSocket(socket: Socket): void {
  socket.end(undefined).catch(() => {});
  socket.ws.emit('error', new Error('the line was closed'));
}
