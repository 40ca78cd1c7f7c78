import type { Cancel, Clock } from '../../runtime/clock.ts';
import type { Counting } from '../../runtime/cluster/port.ts';
import { newId } from '../../runtime/ids.ts';
import { refusal } from '../refusals.ts';
import type { Outlet } from './hub.ts';

export interface SeatPorts {
  /** null: this node is alone, and its own cap is all. */
  readonly counting: Counting | null;
  readonly mostPerTenant: number;
  readonly clock: Clock;
  failed(cause: unknown): void;
}

/** A node that dies gives up its seats after so long; a ticket that opens nothing after all, too. */
const SEAT_LIFE_MS = 45_000;
const KEEP_EVERY_MS = 15_000;

/** Places for a tenant's live streams, counted over all nodes. Where nobody can count, each node goes by its own cap. */
export class Seats {
  readonly #ports: SeatPorts;
  readonly #taken = new Map<string, string>();
  #cancel: Cancel = () => {};

  constructor(ports: SeatPorts) {
    this.#ports = ports;
    if (ports.counting) this.#keepLater();
  }

  /** Gives what keeps the seat for as long as the stream is open. Rejects with Refusal RATE_LIMITED. */
  async take(tenantId: string): Promise<(outlet: Outlet) => void> {
    const { counting } = this.#ports;
    if (!counting) return () => {};
    const seat = newId(this.#ports.clock.now());
    if (!(await this.#sit(counting, tenantId, seat))) throw refusal('RATE_LIMITED', { retryAfterMs: KEEP_EVERY_MS });
    return (outlet) => {
      this.#taken.set(seat, tenantId);
      outlet.once('close', () => this.#rise(counting, tenantId, seat));
    };
  }

  close(): void {
    this.#cancel();
  }

  async #sit(counting: Counting, tenantId: string, seat: string): Promise<boolean> {
    try {
      return await counting.sit(roomOf(tenantId), seat, this.#ports.mostPerTenant, SEAT_LIFE_MS);
    } catch (cause) {
      this.#ports.failed(cause);
      return true;
    }
  }

  #rise(counting: Counting, tenantId: string, seat: string): void {
    this.#taken.delete(seat);
    // One that is not heard runs out by itself.
    counting.rise(roomOf(tenantId), seat).catch(() => undefined);
  }

  #keepLater(): void {
    this.#cancel = this.#ports.clock.after(KEEP_EVERY_MS, () => {
      for (const [seat, tenantId] of this.#taken)
        this.#ports.counting?.sit(roomOf(tenantId), seat, null, SEAT_LIFE_MS).catch(() => undefined);
      this.#keepLater();
    });
  }
}

const roomOf = (tenantId: string): string => `streams:${tenantId}`;
