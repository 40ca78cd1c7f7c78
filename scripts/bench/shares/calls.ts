import { pause, systemClock } from '../../../runtime/clock.ts';
import { type Access, type Customer, customerWith, type Scene } from './customer.ts';
import type { Pool } from './pools.ts';

export class Tally {
  readonly cells: Int32Array<SharedArrayBuffer>;

  constructor(cells: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT))) {
    this.cells = cells;
  }

  get served(): number {
    return Atomics.load(this.cells, 0);
  }

  get refused(): number {
    return Atomics.load(this.cells, 1);
  }

  get isOver(): boolean {
    return Atomics.load(this.cells, 2) === 1;
  }

  count(isServed: boolean): void {
    Atomics.add(this.cells, isServed ? 0 : 1, 1);
  }

  next(): number {
    return Atomics.add(this.cells, 3, 1);
  }

  end(): void {
    Atomics.store(this.cells, 2, 1);
  }
}

export interface Caller {
  readonly pool: Pool;
  readonly access: Access;
  readonly scene: Scene;
  readonly tally: Tally;
}

export interface Asks {
  readonly asks: number;
  /** No further calls are made after this time, but at least FEW are always made. */
  readonly withinMs: number;
}

export interface Ask {
  readonly ms: number;
  readonly overtaken: number;
  readonly isServed: boolean;
}

const FEW = 10;

export async function ask(caller: Caller, { asks, withinMs }: Asks): Promise<readonly Ask[]> {
  const { pool, scene, tally } = caller;
  const customer: Customer = customerWith(caller.access);
  const until = systemClock.monotonic() + withinMs;
  const done: Ask[] = [];
  while (done.length < asks && (done.length < FEW || systemClock.monotonic() < until)) {
    const [before, began] = [tally.served, systemClock.monotonic()];
    const { status } = await pool.ask(customer, scene, tally.next());
    done.push({ ms: systemClock.monotonic() - began, overtaken: tally.served - before, isServed: status === pool.served });
  }
  return done;
}

export async function flood({ pool, access, scene, tally }: Caller, copies: number, againMs: number): Promise<void> {
  const customer = customerWith(access);
  const copy = async (): Promise<void> => {
    while (!tally.isOver) {
      const { status } = await pool.flood(customer, scene, tally.next());
      tally.count(status < 429);
      if (status >= 429) await pause(systemClock, againMs);
    }
  };
  await Promise.all(Array.from({ length: copies }, copy));
}
