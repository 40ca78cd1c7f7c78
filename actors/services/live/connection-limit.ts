import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { Counting } from '../../../runtime/cluster/port.ts';
import { newId } from '../../../runtime/ids.ts';
import { refusal } from '../../domain/refusals.ts';
import type { StreamSink } from './hub.ts';

export interface ConnectionLimitDeps {
  readonly counting: Counting | null;
  readonly mostPerTenant: number;
  readonly clock: Clock;
  failed(cause: unknown): void;
}

/** Seats (counted connections) of dead nodes and of unused tickets expire after this time. */
const SEAT_LIFE_MS = 45_000;
const KEEP_EVERY_MS = 15_000;

/** Counts connections across all nodes or, without a shared counter, on each node separately. */
export class ConnectionLimit {
  readonly #deps: ConnectionLimitDeps;
  readonly #taken = new Map<string, string>();
  #cancel: Cancel = () => {};

  constructor(deps: ConnectionLimitDeps) {
    this.#deps = deps;
    if (deps.counting) this.#keepLater();
  }

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
    // If this fails, the seat expires later.
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
