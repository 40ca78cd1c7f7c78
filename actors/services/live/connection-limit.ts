import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { Counting } from '../../../runtime/cluster/port.ts';
import { newId } from '../../../runtime/ids.ts';
import { refusal } from '../../domain/refusals.ts';
import type { StreamSink } from './hub.ts';

export interface ConnectionLimitDeps {
  /** null: this node is alone, and its own cap is all. */
  readonly counting: Counting | null;
  readonly mostPerTenant: number;
  readonly clock: Clock;
  failed(cause: unknown): void;
}

/** A node that dies gives up its seats after so long; a ticket that opens nothing after all, too. */
const SEAT_LIFE_MS = 45_000;
const KEEP_EVERY_MS = 15_000;

/** Places for a tenant's live streams, counted over all nodes. While they cannot be counted, each node uses its own cap. */
export class ConnectionLimit {
  readonly #deps: ConnectionLimitDeps;
  readonly #taken = new Map<string, string>();
  #cancel: Cancel = () => {};

  constructor(deps: ConnectionLimitDeps) {
    this.#deps = deps;
    if (deps.counting) this.#keepLater();
  }

  /** Gives what keeps the seat for as long as the stream is open. Rejects with Refusal RATE_LIMITED. */
  async take(tenantId: string): Promise<(sink: StreamSink) => void> {
    const { counting, mostPerTenant: limit } = this.#deps;
    if (!counting) return () => {};
    const seat = newId(this.#deps.clock.now());
    if (!(await this.#acquireSeat(counting, tenantId, seat))) throw refusal('RATE_LIMITED', { retryAfterMs: KEEP_EVERY_MS, limit });
    return (sink) => {
      this.#taken.set(seat, tenantId);
      sink.once('close', () => this.#releaseSeat(counting, tenantId, seat));
    };
  }

  close(): void {
    this.#cancel();
  }

  async #acquireSeat(counting: Counting, tenantId: string, seat: string): Promise<boolean> {
    try {
      return await counting.acquireSeat(roomOf(tenantId), seat, this.#deps.mostPerTenant, SEAT_LIFE_MS);
    } catch (cause) {
      this.#deps.failed(cause);
      return true;
    }
  }

  #releaseSeat(counting: Counting, tenantId: string, seat: string): void {
    this.#taken.delete(seat);
    // One that is not kept runs out by itself.
    counting.releaseSeat(roomOf(tenantId), seat).catch(() => undefined);
  }

  #keepLater(): void {
    this.#cancel = this.#deps.clock.after(KEEP_EVERY_MS, () => {
      for (const [seat, tenantId] of this.#taken)
        this.#deps.counting?.acquireSeat(roomOf(tenantId), seat, null, SEAT_LIFE_MS).catch(() => undefined);
      this.#keepLater();
    });
  }
}

const roomOf = (tenantId: string): string => `streams:${tenantId}`;
