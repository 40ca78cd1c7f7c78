import '../../../network-peer/silent-logger.ts';
import { join } from 'node:path';
import { pino } from 'pino';
import { credentialStoreOf } from '../../../../actors/device/effects/credential-store.ts';
import { userJid } from '../../../../actors/network/jid.ts';
import type { ReadLogin } from '../../../../actors/network/move-in/login-reader.ts';
import {
  type Connection,
  type ConnectionEvent,
  type Credentials,
  type OpenFile,
  type OutgoingMessage,
  tokenOf,
} from '../../../../actors/network/port.ts';
import { createWhatsApp } from '../../../../actors/network/whatsapp/driver.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { guardedConnect } from '../../../../runtime/egress/guarded-connect.ts';
import { credentialRowsIn } from '../../../../store/devices/credentials.ts';
import { openEmbedded } from '../../../../store/engines/embedded/embedded.ts';
import type { Peer } from '../../../network-peer/peer.ts';
import type { Scope } from '../../../support/stores.ts';

const PATIENCE_MS = 60_000;

type Heard<T extends ConnectionEvent['type']> = Extract<ConnectionEvent, { type: T }>;
type Kept = Parameters<typeof tokenOf>[0];
type Open = (hear: (event: ConnectionEvent) => void, ours: Ours) => Connection;

/** The gateway's own device on the peer, in real time. It stores and acknowledges each event immediately. */
export class Ours {
  readonly events: ConnectionEvent[] = [];
  connection!: Connection;
  credentials: Credentials | null = null;
  /** What it sent, as its log would recall it. */
  readonly #sent = new Map<string, OutgoingMessage>();
  readonly #waiters = new Set<() => void>();
  readonly #watched = new Map<string, (what: 'acked' | 'refused' | 'unwritten') => void>();
  readonly #open: Open;

  constructor(open: Open) {
    this.#open = open;
  }

  dial(): void {
    this.connection = this.#open((event) => {
      this.events.push(event);
      if ('token' in event || 'message' in event) this.connection.acknowledge(tokenOf(event as Kept));
      if (event.type === 'acked' || event.type === 'refused' || event.type === 'unwritten') this.#watched.get(event.netId)?.(event.type);
      for (const look of [...this.#waiters]) look();
    }, this);
  }

  all<T extends ConnectionEvent['type']>(type: T): readonly Heard<T>[] {
    return this.events.filter((event): event is Heard<T> => event.type === type);
  }

  /** Calls `then` with each word of the connection on this message; answers how to stop that. */
  watches(netId: string, then: (what: 'acked' | 'refused' | 'unwritten') => void): () => void {
    this.#watched.set(netId, then);
    return () => void this.#watched.delete(netId);
  }

  findSent(netId: string): OutgoingMessage | null {
    return this.#sent.get(netId) ?? null;
  }

  hears<T extends ConnectionEvent['type']>(type: T, isIt: (event: Heard<T>) => boolean = () => true): Promise<Heard<T>> {
    return new Promise((done, failed) => {
      const look = (): void => {
        const found = this.events.find((event): event is Heard<T> => event.type === type && isIt(event as Heard<T>));
        if (!found) return;
        clearTimeout(timer);
        this.#waiters.delete(look);
        done(found);
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(look);
        failed(new Error(`never heard ${type}, only ${JSON.stringify(this.events.slice(-30))}`));
      }, PATIENCE_MS);
      this.#waiters.add(look);
      look();
    });
  }

  gets(netId: string): Promise<Heard<'received'>> {
    return this.hears('received', ({ message }) => message.netId === netId);
  }

  sends(message: Pick<OutgoingMessage, 'netId' | 'to' | 'content'> & Partial<OutgoingMessage>, open?: OpenFile): void {
    const whole: OutgoingMessage = { quotes: null, ...message };
    this.#sent.set(whole.netId, whole);
    this.connection.send(whole, open);
  }

  says(netId: string, to: string, body = netId): void {
    this.sends({ netId, to: to.includes('@') ? to : userJid(to), content: { type: 'text', body } });
  }
}

/** Links a device to the phone `digits`, and logs it in. */
export const linkOurs = (peer: Peer, open: Open, digits: string): Promise<Ours> => linkBy((qr) => peer.phone(digits).scans(qr), open);

/** Links a device to the phone that `scans`, and logs it in. */
export async function linkBy(scans: (qr: string) => unknown, open: Open): Promise<Ours> {
  const ours = new Ours(open);
  ours.dial();
  const { qr } = await ours.hears('qr');
  await scans(qr);
  ours.credentials = (await ours.hears('linked')).credentials;
  await ours.hears('closed');
  ours.events.length = 0;
  ours.dial();
  await ours.hears('opened');
  return ours;
}

/** A driver for one device, which can also take over a login. */
export interface Driver {
  readonly open: Open;
  adopt(login: ReadLogin, generation: string): Promise<Ours>;
}

/** The driver, with its secrets in a store of its own. */
export async function aDriver(scope: Scope, peer: Pick<Peer, 'url' | 'rootKey'>, directory: string): Promise<Driver> {
  const clock = systemClock;
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const network = createWhatsApp({ url: peer.url, rootKey: peer.rootKey, dial: guardedConnect({ allow: [], clock }), clock, log });
  const store = openEmbedded({ path: join(directory, 'store.db') });
  const credentialRows = credentialRowsIn(store);
  await store.prepare();
  scope.after(async () => {
    await network.shutdown();
    await store.close();
  });
  const deviceId = 'ours';
  const open: Open = (hear, ours) => {
    const credentialStore = credentialStoreOf(credentialRows, { tenantId: 't', sessionId: deviceId, epoch: 1 });
    return network.open(
      { deviceId, credentials: ours.credentials, proxyUrl: null, credentialStore, findSent: async (netId) => ours.findSent(netId) },
      hear,
    );
  };
  return {
    open,
    async adopt({ credentials, secrets }, generation) {
      const owner = { tenantId: 't', sessionId: deviceId, epoch: 1 };
      const entries = secrets.map(({ name, text }, nth) => ({ name, rev: nth + 1, value: text }));
      await credentialRows.keep(owner, generation, entries);
      await credentialRows.create(owner, generation);
      const ours = new Ours(open);
      ours.credentials = credentials;
      ours.dial();
      await ours.hears('opened');
      return ours;
    },
  };
}
