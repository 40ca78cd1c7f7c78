/**
 * Detects lost broadcasts between nodes. A broadcast is delivered at most once, so it may be lost.
 * Each node therefore broadcasts how many broadcasts it has sent, and the others compare this
 * number with how many they received. If a node is silent, broadcasts count as lost, because it may
 * have died before it announced events that it had stored.
 */

import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { NodeName, Wire } from '../../../runtime/cluster/port.ts';

export interface BroadcastCheckDeps {
  readonly self: NodeName;
  readonly wire: Pick<Wire, 'broadcast' | 'onBroadcast'>;
  readonly clock: Clock;
  lost(): void;
}

interface Tally {
  readonly boot: string;
  readonly sent: number;
  readonly isOver: boolean;
}

interface Heard {
  boot: string;
  received: number;
  /** Time (monotonic clock) of the last count. Infinity once the silence has been reported. */
  at: number;
}

const TALLY = 'stream.tally';
const TALLY_EVERY_MS = 15_000;
const SILENT_MS = 3 * TALLY_EVERY_MS;

export class BroadcastCheck {
  readonly #deps: BroadcastCheckDeps;
  readonly #heard = new Map<string, Heard>();
  #sent = 0;
  #cancel: Cancel = () => {};

  constructor(deps: BroadcastCheckDeps) {
    this.#deps = deps;
    deps.wire.onBroadcast(TALLY, (body, from) => {
      if (from !== deps.self.id && isTally(body)) this.#compare(from, body);
    });
    this.#tellLater();
  }

  sending(): void {
    this.#sent += 1;
  }

  received(from: string): void {
    const heard = this.#heard.get(from);
    if (heard) heard.received += 1;
  }

  close(): void {
    this.#cancel();
    this.#tell(true);
  }

  #compare(from: string, { boot, sent, isOver }: Tally): void {
    const before = this.#heard.get(from);
    if (isOver) this.#heard.delete(from);
    else this.#heard.set(from, { boot, received: sent, at: this.#deps.clock.monotonic() });
    // A node that restarted without a last count may have died before sending all broadcasts.
    if (before && (before.boot !== boot || before.received !== sent)) this.#deps.lost();
  }

  #tell(isOver: boolean): void {
    const tally: Tally = { boot: this.#deps.self.boot, sent: this.#sent, isOver };
    this.#deps.wire.broadcast(TALLY, tally);
  }

  #tellLater(): void {
    this.#cancel = this.#deps.clock.after(TALLY_EVERY_MS, () => {
      this.#tell(false);
      this.#lookForSilence();
      this.#tellLater();
    });
  }

  #lookForSilence(): void {
    const now = this.#deps.clock.monotonic();
    const silent = [...this.#heard.values()].filter(({ at }) => now - at > SILENT_MS);
    for (const one of silent) one.at = Number.POSITIVE_INFINITY;
    if (silent.length > 0) this.#deps.lost();
  }
}

const isTally = (body: unknown): body is Tally =>
  typeof body === 'object' &&
  body !== null &&
  'boot' in body &&
  typeof body.boot === 'string' &&
  'sent' in body &&
  typeof body.sent === 'number' &&
  'isOver' in body &&
  typeof body.isOver === 'boolean';
