import { pino } from 'pino';
import { credentialStoreOf } from '../../../actors/device/effects/credential-store.ts';
import {
  type Connection,
  type ConnectionEvent,
  type CredentialStore,
  type Credentials,
  type Network,
  tokenOf,
} from '../../../actors/network/port.ts';
import { createWhatsApp } from '../../../actors/network/whatsapp/driver.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { guardedConnect } from '../../../runtime/egress/guarded-connect.ts';
import { credentialRowsIn } from '../../../store/devices/credentials.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { type RemotePeer, spawnPeer } from '../../../test/network-peer/process/remote.ts';
import { scratchDirectory } from '../scratch.ts';

export interface Setup {
  readonly peer: RemotePeer;
  readonly network: Network;
  credentialStore(deviceId: string): CredentialStore;
}

export async function openSharedDeps(): Promise<Setup> {
  const peer = await spawnPeer();
  const dial = guardedConnect({ allow: [], clock: systemClock });
  const network = createWhatsApp({ url: peer.url, rootKey: peer.rootKey, dial, clock: systemClock, log: pino({ level: 'silent' }) });
  const store = openEmbedded({ path: `${scratchDirectory()}/store.db` });
  const credentialRows = credentialRowsIn(store);
  await store.prepare();
  return { peer, network, credentialStore: (sessionId) => credentialStoreOf(credentialRows, { tenantId: 't', sessionId, epoch: 1 }) };
}

/** A device that acknowledges all events without storing them. */
export class Device {
  readonly connection: Connection;
  readonly #counts = new Map<string, number>();
  #look: () => void = () => {};
  #last: ConnectionEvent | null = null;

  constructor({ network }: Setup, deviceId: string, credentialStore: CredentialStore, credentials: Credentials | null) {
    this.connection = network.open({ deviceId, credentials, proxyUrl: null, credentialStore }, (event) => {
      // One event may contain the receipts of several messages.
      const times = event.type === 'receipt' ? event.netIds.length : 1;
      this.#counts.set(event.type, this.count(event.type) + times);
      if (event.type === 'linked' || event.type === 'qr') this.#last = event;
      if (event.type === 'received' || 'token' in event) this.connection.acknowledge(tokenOf(event));
      this.#look();
    });
  }

  async receives(type: ConnectionEvent['type'], times = 1): Promise<ConnectionEvent | null> {
    while (this.count(type) < times) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
    return this.#last;
  }

  count(type: ConnectionEvent['type']): number {
    return this.#counts.get(type) ?? 0;
  }
}

export async function linkTo(setup: Setup, digits: string, credentialStore: CredentialStore): Promise<Credentials> {
  const device = new Device(setup, digits, credentialStore, null);
  const shown = await device.receives('qr');
  if (shown?.type === 'qr') await setup.peer.scan(digits, shown.qr);
  const linked = await device.receives('linked');
  await device.receives('closed');
  return linked?.type === 'linked' ? linked.credentials : {};
}

export function heap(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
