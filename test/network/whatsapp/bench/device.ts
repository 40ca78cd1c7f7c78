import { pino } from 'pino';
import { vaultOf } from '../../../../actors/device/vault.ts';
import { guardedDial } from '../../../../actors/egress/dial.ts';
import { type Credentials, type Line, type LineEvent, type Network, tokenOf, type Vault } from '../../../../actors/network/port.ts';
import { createWhatsApp } from '../../../../actors/network/whatsapp/driver.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { scratchDirectory } from '../../../../scripts/bench/scratch.ts';
import { openEmbedded } from '../../../../store/embedded.ts';
import { keyringsIn } from '../../../../store/keyrings.ts';
import { type RemotePeer, spawnPeer } from '../../peer/process/remote.ts';

/** The driver over a store of its own, and a peer in another process. */
export interface Ground {
  readonly peer: RemotePeer;
  readonly network: Network;
  vault(deviceId: string): Vault;
}

export async function openGround(): Promise<Ground> {
  const peer = await spawnPeer();
  const dial = guardedDial({ allow: [], clock: systemClock });
  const network = createWhatsApp({ url: peer.url, rootKey: peer.rootKey, dial, clock: systemClock, log: pino({ level: 'silent' }) });
  const store = openEmbedded({ path: `${scratchDirectory()}/store.db` });
  const keyrings = keyringsIn(store);
  await store.prepare();
  return { peer, network, vault: (sessionId) => vaultOf(keyrings, { tenantId: 't', sessionId, epoch: 1 }) };
}

/** One line that stores nothing and acknowledges everything. */
export class Device {
  readonly line: Line;
  readonly #counts = new Map<string, number>();
  #look: () => void = () => {};
  #last: LineEvent | null = null;

  constructor({ network }: Ground, deviceId: string, vault: Vault, credentials: Credentials | null) {
    this.line = network.open({ deviceId, credentials, proxyUrl: null, vault }, (event) => {
      this.#counts.set(event.type, (this.#counts.get(event.type) ?? 0) + 1);
      if (event.type === 'linked' || event.type === 'qr') this.#last = event;
      if (event.type === 'received' || 'token' in event) this.line.acknowledge(tokenOf(event));
      this.#look();
    });
  }

  /** Resolves when this type of event was heard so often in all. */
  async hears(type: LineEvent['type'], times = 1): Promise<LineEvent | null> {
    while ((this.#counts.get(type) ?? 0) < times) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
    return this.#last;
  }

  count(type: LineEvent['type']): number {
    return this.#counts.get(type) ?? 0;
  }
}

/** Links a phone, and gives what it takes to log in. */
export async function linkTo(ground: Ground, digits: string, vault: Vault): Promise<Credentials> {
  const device = new Device(ground, digits, vault, null);
  const shown = await device.hears('qr');
  if (shown?.type === 'qr') await ground.peer.scan(digits, shown.qr);
  const linked = await device.hears('linked');
  await device.hears('closed');
  return linked?.type === 'linked' ? linked.credentials : {};
}

/** Heap and what hangs on it, in bytes, after the garbage is gone. */
export function heap(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Milliseconds that this process has computed so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
