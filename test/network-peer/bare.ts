import './silent-logger.ts';
import type { TestContext } from 'node:test';
import {
  type BaileysEventMap,
  Curve,
  initAuthCreds,
  makeWASocket,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  WA_CERT_DETAILS,
  type WASocket,
} from '@whiskeysockets/baileys';
import pino from 'pino';
import { verifies } from './curve.ts';
import { type Peer, type PeerOptions, startPeer } from './peer.ts';

/** The unmodified client library, used to check that the peer meets the expectations of real clients. */
export type Auth = UserFacingSocketConfig['auth'];

type EventName = keyof BaileysEventMap;

/** Starts a peer that stops with the test. Every bare client of this process trusts it. */
export async function aPeer(t: TestContext, options?: PeerOptions): Promise<Peer> {
  const peer = await startPeer(options);
  trust(peer.rootKey);
  t.after(() => peer.stop());
  return peer;
}

/**
 * Trusts the peer's root key instead of the network's, and makes the library check its verification result, which it
 * ignores by default.
 */
export function trust(rootKey: string): void {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey, 'hex');
  Curve.verify = (key, message, signature) => verifies(key, message, signature);
}

/** Creates an in-memory login that is not linked to a phone. */
export function newAuth(): Auth {
  const kept = new Map<string, unknown>();
  const get = async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
    const read = (id: string): unknown => revived(type, kept.get(`${type}/${id}`));
    const found = ids.map((id) => [id, read(id)] as const).filter(([, value]) => value !== undefined);
    return Object.fromEntries(found) as Record<string, SignalDataTypeMap[T]>;
  };
  const set = async (data: SignalDataSet): Promise<void> => {
    for (const [type, values] of Object.entries(data)) {
      for (const [id, value] of Object.entries(values ?? {})) {
        if (value) kept.set(`${type}/${id}`, value);
        else kept.delete(`${type}/${id}`);
      }
    }
  };
  return { creds: initAuthCreds(), keys: { get, set } };
}

const revived = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' && value ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;

/** A session of the bare client, with all events that it has received. */
export class Bare {
  readonly sock: WASocket;
  readonly auth: Auth;
  readonly heard: { readonly name: EventName; readonly event: unknown }[] = [];
  readonly #waiters = new Set<() => void>();

  constructor(peer: Pick<Peer, 'url'>, auth: Auth, config: Partial<UserFacingSocketConfig> = {}) {
    this.auth = auth;
    this.sock = makeWASocket({ waWebSocketUrl: peer.url, auth, logger: pino({ level: 'silent' }), ...config });
    heedEndOf(this.sock);
    this.sock.ev.process((events) => {
      for (const [name, event] of Object.entries(events)) this.heard.push({ name: name as EventName, event });
      for (const look of this.#waiters) look();
    });
  }

  /** Resolves with the first truthy result of `pick` over past and future events. */
  hears<N extends EventName, R>(name: N, pick: (event: BaileysEventMap[N]) => R | undefined | null | false): Promise<R> {
    return new Promise((resolve) => {
      const look = (): void => {
        for (const { name: each, event } of this.heard) {
          const found = each === name && pick(event as BaileysEventMap[N]);
          if (!found) continue;
          this.#waiters.delete(look);
          return resolve(found);
        }
      };
      this.#waiters.add(look);
      look();
    });
  }

  /** Resolves with the code with which the connection closes. */
  closes(): Promise<number> {
    return this.hears('connection.update', ({ connection, lastDisconnect }) => {
      const error = lastDisconnect?.error as { output?: { statusCode: number } } | undefined;
      return connection === 'close' && (error?.output?.statusCode ?? -1);
    });
  }

  opens(): Promise<true> {
    return this.hears('connection.update', ({ connection }) => connection === 'open' && true);
  }

  /** Resolves with the incoming message with this id. */
  receives(id: string): Promise<proto.IWebMessageInfo> {
    return this.hears('messages.upsert', ({ messages }) => messages.find(({ key }) => key.id === id));
  }

  /** Resolves once the status of a sent message reaches `status`. The library reports it through two events. */
  async reaches(id: string, status: number): Promise<void> {
    const inUpsert = this.hears('messages.upsert', ({ messages }) => messages.some((each) => each.key.id === id && each.status === status));
    const inUpdate = this.hears('messages.update', (all) => all.some(({ key, update }) => key.id === id && update.status === status));
    await Promise.race([inUpsert, inUpdate]);
  }
}

const STALE_LIST = 'CB:ib,,dirty';

/**
 * Handles the library's late rejections: it refetches a stale list, and if the connection ends, that request rejects
 * unhandled up to a minute later, when it times out.
 */
function heedEndOf({ ws }: WASocket): void {
  const readers = ws.listeners(STALE_LIST);
  ws.removeAllListeners(STALE_LIST);
  const failed = (cause: unknown): void => {
    if (!ws.isClosed) throw cause;
  };
  ws.on(STALE_LIST, (notice: unknown) => {
    for (const read of readers) Promise.resolve(read(notice)).catch(failed);
  });
}

/** Links a bare client to the phone with number `digits` by scanning its QR code. */
export async function link(peer: Peer, digits: string, config?: Partial<UserFacingSocketConfig>): Promise<Auth> {
  const auth = newAuth();
  const bare = new Bare(peer, auth, config);
  const qr = await bare.hears('connection.update', (update) => update.qr);
  await peer.phone(digits).scans(qr);
  await bare.closes();
  return auth;
}

/**
 * Returns a linked and logged-in bare client that has finished its initial sync with the phone. It ends with the test.
 */
export async function aBareDevice(t: TestContext, peer: Peer, digits: string, config?: Partial<UserFacingSocketConfig>): Promise<Bare> {
  const bare = await logIn(t, peer, await link(peer, digits, config), config);
  await bare.hears('creds.update', ({ accountSyncCounter }) => accountSyncCounter);
  return bare;
}

export async function logIn(t: TestContext, peer: Peer, auth: Auth, config?: Partial<UserFacingSocketConfig>): Promise<Bare> {
  const bare = new Bare(peer, auth, config);
  t.after(() => bare.sock.end(undefined));
  await bare.opens();
  return bare;
}
