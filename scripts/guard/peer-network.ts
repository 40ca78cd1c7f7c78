import { writeFileSync } from 'node:fs';
import { pause, systemClock } from '../../runtime/clock.ts';
import { type Peer, startPeer } from '../../test/network-peer/peer.ts';
import type { Stanza } from '../../test/network-peer/stanza.ts';
import type { Connection } from '../../test/network-peer/wire/connection.ts';
import { until } from '../faults/processes.ts';
import type { NetworkBeside } from './network-beside.ts';

/** A device that lost its connection reconnects within half a minute. */
const BACK_WITHIN_MS = 60_000;
/** Number of journal entries to keep, which is low because hostile stanzas are large. */
const KEPT_ENTRIES = 100;

/** The real network's protocol, for a node with the real driver. Below its encryption, any bytes can reach the node. */
export class PeerNetwork implements NetworkBeside {
  readonly linksSender = false;
  readonly peer: Peer;
  readonly #certificate: string;

  private constructor(peer: Peer, certificate: string) {
    this.peer = peer;
    this.#certificate = certificate;
    writeFileSync(certificate, peer.media.certificate);
  }

  /** `certificate`: path of a file of this run for the certificate of the media host. */
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

  /**
   * Resolves with the connection of this phone's first computer once it has requested pending messages.
   * Rejects after a minute.
   */
  async line(phone: string): Promise<Connection> {
    const found = await until(BACK_WITHIN_MS, async () => {
      const [linked] = this.peer.phone(phone).linked;
      return linked?.isActive && linked.connection?.isOpen ? linked.connection : null;
    });
    if (!found) throw new Error(`${phone} has no line`);
    return found;
  }

  /**
   * During `run`, and for `settleMs` afterwards, `swell` replaces stanzas for this phone's computers (null:
   * unchanged). Undelivered stanzas are dropped before the next login.
   */
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

  /** Drops stanzas that no computer of this phone received, so that they do not return at the next login. */
  forgetWaiting(phone: string): void {
    for (const { mailbox } of this.peer.phone(phone).linked) mailbox.forget();
  }
}
