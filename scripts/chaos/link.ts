import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { type Cancel, systemClock } from '../../runtime/clock.ts';
import { addressOf } from '../../runtime/listening.ts';

export type Way = 'up' | 'down';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** A TCP relay. `up` is the direction to the target. Held bytes are kept in memory. */
export class Link {
  readonly port: number;
  readonly #server: Server;
  readonly #target: Target;
  readonly #passages = new Set<Passage>();
  readonly #held = new Set<Way>();
  #delayMs = 0;
  #isCut = false;

  private constructor(server: Server, target: Target) {
    this.#server = server;
    this.#target = target;
    this.port = addressOf(server).port;
    server.on('connection', (near) => this.#carry(near));
  }

  static async to(target: Target): Promise<Link> {
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Link(server, target);
  }

  /** Stops forwarding bytes and connection ends in these directions, but keeps connections open. */
  hold(...ways: readonly Way[]): void {
    for (const way of ways.length > 0 ? ways : (['up', 'down'] as const)) this.#held.add(way);
  }

  cut(): void {
    this.#isCut = true;
    for (const passage of this.#passages) passage.destroy();
  }

  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  mend(): void {
    this.#isCut = false;
    this.#delayMs = 0;
    this.#held.clear();
    for (const passage of this.#passages) passage.flush();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #carry(near: Socket): void {
    if (this.#isCut) return void near.destroy();
    const far = dial({ ...this.#target, allowHalfOpen: true });
    const state = (way: Way) => ({ isHeld: () => this.#held.has(way), delayMs: () => this.#delayMs });
    const passage: Passage = new Passage(
      { near, far, up: new Lane(near, far, state('up')), down: new Lane(far, near, state('down')) },
      () => void this.#passages.delete(passage),
    );
    this.#passages.add(passage);
  }
}

interface LaneState {
  isHeld(): boolean;
  delayMs(): number;
}

/** An ordered queue of the chunks for one direction, in which null marks the end. */
class Lane {
  readonly #to: Socket;
  readonly #state: LaneState;
  readonly #waiting: { readonly piece: Buffer | null; readonly dueAt: number }[] = [];
  #ended = false;
  #timer: Cancel | null = null;
  isOver = false;

  constructor(from: Socket, to: Socket, state: LaneState) {
    this.#to = to;
    this.#state = state;
    from.setNoDelay(true);
    from.on('data', (piece: Buffer) => this.#take(piece));
    for (const end of ['end', 'close'] as const) from.on(end, () => this.#end());
    from.on('error', () => this.#end());
  }

  flush(): void {
    for (let [next] = this.#waiting; next && !this.#state.isHeld(); [next] = this.#waiting) {
      const { piece, dueAt } = next;
      const restMs = dueAt - systemClock.monotonic();
      if (restMs > 0) return this.#later(restMs);
      this.#waiting.shift();
      this.#give(piece);
    }
  }

  #take(piece: Buffer | null): void {
    this.#waiting.push({ piece, dueAt: systemClock.monotonic() + this.#state.delayMs() });
    this.flush();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#take(null);
  }

  #give(piece: Buffer | null): void {
    if (piece !== null) return void this.#to.write(piece);
    this.isOver = true;
    this.#to.end();
  }

  #later(ms: number): void {
    this.#timer ??= systemClock.after(Math.ceil(ms), () => {
      this.#timer = null;
      this.flush();
    });
  }
}

interface Ends {
  readonly near: Socket;
  readonly far: Socket;
  readonly up: Lane;
  readonly down: Lane;
}

class Passage {
  readonly #ends: Ends;
  readonly #gone: () => void;

  constructor(ends: Ends, gone: () => void) {
    this.#ends = ends;
    this.#gone = gone;
    // If one side closes while data for the other is held, the other stays open until it has
    // received that data.
    for (const socket of [ends.near, ends.far]) socket.on('close', () => this.#look());
  }

  flush(): void {
    this.#ends.up.flush();
    this.#ends.down.flush();
    this.#look();
  }

  destroy(): void {
    this.#gone();
    this.#ends.near.destroy();
    this.#ends.far.destroy();
  }

  #look(): void {
    const { near, far, up, down } = this.#ends;
    if (up.isOver && near.destroyed) far.destroySoon();
    if (down.isOver && far.destroyed) near.destroySoon();
    if (near.destroyed && far.destroyed) this.#gone();
  }
}
