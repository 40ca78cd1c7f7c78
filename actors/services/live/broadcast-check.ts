import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { NodeName, Wire } from '../../../runtime/cluster/port.ts';

export interface BroadcastCheckDeps {
  readonly self: NodeName;
  readonly wire: Pick<Wire, 'broadcast' | 'onBroadcast'>;
  readonly clock: Clock;
  /** Something that another node said, or would have said, was not received here. */
  lost(): void;
}

/** What a node said in all since its start. */
interface Tally {
  readonly boot: string;
  readonly sent: number;
  /** It goes, and says nothing more. */
  readonly isOver: boolean;
}

interface Heard {
  boot: string;
  /** As many as it had said when it was first heard of, and those that were received since. */
  received: number;
  /** Of the last tally, ms; infinite: its silence was noticed. */
  at: number;
}

const TALLY = 'stream.tally';
const TALLY_EVERY_MS = 15_000;
/** A node that lives has said so by then, if it is heard at all. */
const SILENT_MS = 3 * TALLY_EVERY_MS;

/**
 * Notices what got lost between nodes, which say things at most once. Each tells from time to time how much it has said, and others compare that
 * with what they received. One that is silent may have died before it said what it had stored.
 */
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

  /** This node is about to say something. */
  sending(): void {
    this.#sent += 1;
  }

  /** Another node said something. */
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
    // One that was started again without a word may have died before it said all.
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
