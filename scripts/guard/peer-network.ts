import { writeFileSync } from 'node:fs';
import { pause, systemClock } from '../../runtime/clock.ts';
import { type Peer, startPeer } from '../../test/network-peer/peer.ts';
import type { Stanza } from '../../test/network-peer/stanza.ts';
import type { Connection } from '../../test/network-peer/wire/connection.ts';
import { until } from '../faults/processes.ts';
import type { NetworkBeside } from './network-beside.ts';

/** Allows for the half minute within which a device reconnects after losing its connection. */
const BACK_WITHIN_MS = 60_000;
const KEPT_ENTRIES = 100;

/** A network for a node with the real driver. Any bytes can be sent to the node below the encryption. */
export class PeerNetwork implements NetworkBeside {
  readonly linksSender = false;
  readonly peer: Peer;
  readonly #certificate: string;

  private constructor(peer: Peer, certificate: string) {
    this.peer = peer;
    this.#certificate = certificate;
    writeFileSync(certificate, peer.media.certificate);
  }

  static async start(certificate: string): Promise<PeerNetwork> {
    return new PeerNetwork(await startPeer({ keep: KEPT_ENTRIES }), certificate);
  }

  get env(): Readonly<Record<string, string>> {
    return {
      NETWORK: 'whatsapp',
      WHATSAPP_URL: this.peer.url,
      WHATSAPP_ROOT_KEY: this.peer.rootKey,
      WHATSAPP_HISTORY: '50',
      NODE_EXTRA_CA_CERTS: this.#certificate,
    };
  }

  scan(phone: string, qr: string): Promise<string> {
    return this.peer.phone(phone).scans(qr);
  }

  texts(phone: string): readonly string[] {
    return this.peer
      .phone(phone)
      .shows()
      .map(({ text }) => text)
      .toReversed();
  }

  close(): Promise<void> {
    return this.peer.stop();
  }

  /** Resolves to the connection once the phone's first computer has requested pending messages. */
  async line(phone: string): Promise<Connection> {
    const found = await until(BACK_WITHIN_MS, async () => {
      const [linked] = this.peer.phone(phone).linked;
      return linked?.isActive && linked.connection?.isOpen ? linked.connection : null;
    });
    if (!found) throw new Error(`${phone} has no line`);
    return found;
  }

  /** `swell` replaces stanzas during `run` and for `settleMs` afterwards; null leaves one unchanged. */
  async swelling(phone: string, swell: (stanza: Stanza) => Stanza | null, run: () => Promise<unknown>, settleMs: number): Promise<void> {
    const connection = await this.line(phone);
    const ours = new WeakSet<Stanza>();
    const where = (stanza: Stanza): boolean => {
      if (ours.has(stanza)) return false;
      const swollen = swell(stanza);
      if (!swollen) return false;
      ours.add(swollen);
      setImmediate(() => connection.send(swollen));
      return true;
    };
    const lift = this.peer.fault({ kind: 'drop', way: 'down', phone, where });
    try {
      await run();
      await pause(systemClock, settleMs);
    } finally {
      lift();
      this.forgetWaiting(phone);
    }
  }

  /** Drops undelivered stanzas, which would otherwise return at the next login. */
  forgetWaiting(phone: string): void {
    for (const { mailbox } of this.peer.phone(phone).linked) mailbox.forget();
  }
}
