import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { Counting } from '../../../runtime/cluster/port.ts';
import { newId } from '../../../runtime/ids.ts';
import { refusal } from '../../domain/refusals.ts';
import type { StreamSink } from './hub.ts';

export interface ConnectionLimitDeps {
  /** null on a single node, where the node's own limit suffices. */
  readonly counting: Counting | null;
  readonly mostPerTenant: number;
  readonly clock: Clock;
  failed(cause: unknown): void;
}

/** Seats of a dead node expire after this time, as do seats of tickets that never open a stream. */
const SEAT_LIFE_MS = 45_000;
const KEEP_EVERY_MS = 15_000;

/** Limits a tenant's live streams across all nodes; without the shared counter, each node's own limit applies. */
export class ConnectionLimit {
  readonly #deps: ConnectionLimitDeps;
  readonly #taken = new Map<string, string>();
  #cancel: Cancel = () => {};

  constructor(deps: ConnectionLimitDeps) {
    this.#deps = deps;
    if (deps.counting) this.#keepLater();
  }

  /** Returns a function that keeps the seat while the sink is open. Rejects with Refusal RATE_LIMITED. */
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
    // A seat that could not be released expires later.
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
