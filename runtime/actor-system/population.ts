import type { Cancel, Clock } from '../clock.ts';
import type { Deadlines } from '../deadlines.ts';
import { type RuntimeCode, runtimeRefusal } from '../errors.ts';
import { type AnyKind, Cell, type Home } from './cell.ts';
import type { Dispatcher } from './dispatcher.ts';

export interface SystemDeps {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly deadlines: Deadlines;
  mayTire(): void;
  failed(kind: string, id: string, cause: unknown): void;
  gaveUp(kind: string, id: string, cause: unknown): void;
}

export class Population implements Home {
  readonly kind: AnyKind;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly deadlines: Deadlines;
  readonly #deps: SystemDeps;
  readonly #cells = new Map<string, Cell>();
  readonly #restarts = new Map<Cell, Cancel>();
  #isClosed = false;

  constructor(kind: AnyKind, deps: SystemDeps) {
    this.kind = kind;
    this.clock = deps.clock;
    this.dispatcher = deps.dispatcher;
    this.deadlines = deps.deadlines;
    this.#deps = deps;
  }

  get name(): string {
    return this.kind.behaviour.kind;
  }

  get size(): number {
    return this.#cells.size;
  }

  reach(id: string): Cell {
    const known = this.#cells.get(id);
    if (known !== undefined) return known;
    if (this.#isClosed) throw runtimeRefusal('UNAVAILABLE');
    const cell = new Cell(id, this);
    this.#cells.set(id, cell);
    if (this.kind.sleepAfterMs !== undefined) this.#deps.mayTire();
    return cell;
  }

  has(id: string): boolean {
    return this.#cells.has(id);
  }

  isAwake(id: string): boolean {
    return this.#cells.get(id)?.isAwake === true;
  }

  cells(): IterableIterator<Cell> {
    return this.#cells.values();
  }

  end(id: string, code: RuntimeCode): void {
    this.#cells.get(id)?.end(code);
  }

  close(): void {
    this.#isClosed = true;
    for (const cell of [...this.#cells.values()]) cell.end();
  }

  moment(): number {
    return Math.floor(this.dispatcher.monotonic());
  }

  forget(cell: Cell): void {
    this.#cells.delete(cell.id);
    this.#restarts.get(cell)?.();
    this.#restarts.delete(cell);
  }

  restartLater(cell: Cell, ms: number): void {
    const cancel = this.clock.after(ms, () => {
      this.#restarts.delete(cell);
      cell.startAgain();
    });
    this.#restarts.set(cell, cancel);
  }

  failed(id: string, cause: unknown): void {
    this.#deps.failed(this.name, id, cause);
  }

  gaveUp(id: string, cause: unknown): void {
    this.#deps.gaveUp(this.name, id, cause);
  }
}
