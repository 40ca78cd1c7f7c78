import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { type Logger, pino } from 'pino';
import { credentialStoreOf } from '../../../../actors/device/effects/credential-store.ts';
import type { Connection, ConnectionEvent, CredentialStore, Network, OpenOrder, OutgoingMessage } from '../../../../actors/network/port.ts';
import type { UnknownEvent } from '../../../../actors/network/unknown-event.ts';
import type { CatalogClient } from '../../../../actors/network/whatsapp/catalog/catalog-client.ts';
import { createWhatsApp } from '../../../../actors/network/whatsapp/driver.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { guardedConnect } from '../../../../runtime/egress/guarded-connect.ts';
import type { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { credentialRowsIn } from '../../../../store/devices/credentials.ts';
import type { Habit } from '../../../../store/devices/network-habits.ts';
import { openEmbedded } from '../../../../store/engines/embedded/embedded.ts';
import type { LoginRefusal } from '../../../network-peer/faults.ts';
import type { Peer } from '../../../network-peer/peer.ts';
import { aDirectory } from '../../../support/stores.ts';
import type { World } from '../world.ts';
import { personOf } from './peer-person.ts';
import { aPeerInTime, moment } from './time.ts';
import { trustFilesOf } from './trusting.ts';

export interface PeerWorld extends World {
  /** The driver forgets everything, as in a new process. */
  restart(): void;
  /** From their next login on, devices run on the other of two nodes. */
  moves(): void;
  readonly peer: Peer;
  /** Stored questions that the network did not know under one of our ids. */
  readonly unknownQueries: readonly string[];
  /** What the driver did not understand: `contents <field>`, `stanzas <tag>`. */
  readonly unknown: readonly string[];
  readonly clock: VirtualClock;
}

const STEP_MS = 10_000;
const quiet = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });

interface Differences {
  /** The root that the driver trusts, where that is not the peer's. */
  readonly rootKey?: string;
  /** `host:port` of proxies that devices may use although they are private. */
  readonly allow?: readonly string[];
  /** Messages of each chat that are taken over at linking. */
  readonly history?: number;
  /** Those that are on; without: all. */
  readonly habits?: readonly Habit[];
  readonly catalog?: CatalogClient;
  /** Of every device. */
  readonly proxyUrl?: string;
  /** What stands between the driver and where its secrets are. */
  readonly wrap?: (credentialStore: CredentialStore) => CredentialStore;
  readonly log?: Logger;
}

/** The driver for the real network, against a peer that speaks its protocol, with secrets in a real store; time is the test's, the library's timers included. */
export async function overThePeer(t: TestContext, given: Differences = {}): Promise<PeerWorld> {
  const { rootKey, allow = [], wrap = (credentialStore) => credentialStore, log = quiet } = given;
  const { clock, peer } = await aPeerInTime(t);
  const library = await loadLibrary();
  const unknownQueries: string[] = [];
  const unknown: string[] = [];
  const start = (): Network =>
    createWhatsApp({
      url: peer.url,
      catalog: given.catalog ?? null,
      rootKey: rootKey ?? peer.rootKey,
      onUnknownQuery: (name) => unknownQueries.push(name),
      dial: guardedConnect({ allow, clock }),
      clock,
      log,
    });
  let network = start();
  let elsewhere: Network | null = null;
  const store = openEmbedded({ path: `${aDirectory(t)}/store.db` });
  const credentialRows = credentialRowsIn(store);
  await store.prepare();
  t.after(async () => {
    await network.shutdown();
    await elsewhere?.shutdown();
    await store.close();
  });
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS));
      await moment();
    }
  };
  let links = 0;
  /** Of their present owners. */
  const credentialStores = new Map<string, CredentialStore>();
  const credentialStore = (deviceId: string): CredentialStore => {
    const known = credentialStores.get(deviceId);
    const ofOwner = known ?? wrap(credentialStoreOf(credentialRows, { tenantId: 't', sessionId: deviceId, epoch: 1 }));
    credentialStores.set(deviceId, ofOwner);
    return ofOwner;
  };
  return {
    clock,
    peer,
    unknownQueries,
    unknown,
    hasPasskeys: true,
    trustFiles: () => trustFilesOf(peer, t),
    restart() {
      void network.shutdown();
      network = start();
    },
    moves() {
      [network, elsewhere] = [elsewhere ?? start(), network];
      credentialStores.clear();
    },
    network: remembering(
      () => network,
      credentialStore,
      () => {
        links += 1;
        return links;
      },
      {
        proxyUrl: given.proxyUrl ?? null,
        history: { most: given.history ?? 0, months: null },
        ...(given.habits && { habits: given.habits }),
      },
      ({ kind, name }) => unknown.push(`${kind} ${name}`),
    ),
    phone: (digits) => personOf(peer, library, digits),
    fault: async (digits, kind, forMs) => trouble(peer, digits, kind, forMs),
    group: async (members) => peer.group(members).jid,
    pass,
  };
}

/** What a device gives its driver: a credential store, and what it sent. */
function remembering(
  now: () => Network,
  credentialStoreFor: (deviceId: string) => CredentialStore,
  number: () => number,
  common: Pick<OpenOrder, 'proxyUrl' | 'history' | 'habits'>,
  onUnknown: (said: UnknownEvent) => void,
): Network {
  const sent = new Map<string, OutgoingMessage>();
  return {
    name: 'whatsapp',
    shutdown: () => now().shutdown(),
    open(order: OpenOrder, hear: (event: ConnectionEvent) => void): Connection {
      const deviceId = String(order.credentials ? order.credentials['device'] : `${order.deviceId} ${number()}`);
      const findSent = order.findSent ?? (async (netId: string) => sent.get(netId) ?? null);
      const openFile = async (key: string) => Readable.from([Buffer.from(key)]);
      const connection = now().open(
        { ...order, ...common, deviceId, credentialStore: credentialStoreFor(deviceId), findSent, openFile },
        (said) => (said.type === 'unknown' ? onUnknown(said) : hear(said)),
      );
      const send = connection.send.bind(connection);
      connection.send = (message, open) => {
        sent.set(message.netId, message);
        send(message, open);
      };
      return connection;
    },
  };
}

function trouble(peer: Peer, digits: string, kind: string, forMs?: number): void {
  const phone = peer.phone(digits);
  const refusing = (how: Pick<LoginRefusal, 'code' | 'says'>): void => {
    peer.fault({ kind: 'refuse-logins', phone: digits, forMs: forMs ?? 10_000, ...how });
    peer.cut(digits);
  };
  switch (kind) {
    case 'drop':
      if (forMs !== undefined) peer.fault({ kind: 'refuse-logins', code: 503, phone: digits, forMs });
      return peer.cut(digits);
    case 'logout':
      return phone.unlinks();
    case 'ban':
      return peer.bans(digits);
    case 'replaced':
      return peer.ends(digits, 440);
    case 'refuse':
      peer.fault({ kind: 'refuse-messages', code: 479, phone: digits, ...(forMs !== undefined && { forMs }) });
      return;
    case 'outdated':
      return refusing({ code: 405 });
    case 'temporarily_banned':
      return refusing({ code: 402, says: { code: 101, expire: (forMs ?? 10_000) / 1_000 } });
    case 'locked':
      return refusing({ code: 403 });
    case 'bad_agent':
      return refusing({ code: 409 });
    default:
      throw new Error(`no such trouble: ${kind}`);
  }
}
