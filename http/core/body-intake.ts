import type { IncomingMessage } from 'node:http';
import { refusal, tooLarge } from '../../actors/domain/refusals.ts';
import { type Cancel, type Clock, systemClock } from '../../runtime/clock.ts';
import type { Refusal } from '../../runtime/errors.ts';
import { at } from '../../runtime/invariant.ts';
import { hasBody, MAX_BODY_BYTES } from './body.ts';

/**
 * Limit for all requests together. One tenant may use a quarter of it, and so may one address
 * without credentials.
 */
const MAX_IN_MEMORY = 128 * 1024 * 1024;
const SHARES = 4;

const WINDOW_MS = 10_000;
const MIN_BYTES_PER_WINDOW = 10 * 1024;
const POLL_INTERVAL_MS = 1_000;
/**
 * After this many checks without a new byte, the gateway stops waiting for the rest of a rejected
 * body.
 */
const IDLE_POLLS = 3;

/** Bytes to discard beyond the limit, so that the caller gets the error and not a connection reset. */
const SPARE_BYTES = 8 * 1024 * 1024;

const NOTHING = Buffer.alloc(0);

interface Watched {
  readonly req: IncomingMessage;
  isRefused(): boolean;
  tooSlow(): void;
  bytesRead: number;
  since: number;
  bytesPolled: number;
  idlePolls: number;
}

const never = (): boolean => false;

export class CallerLeft extends Error {
  constructor() {
    super('the caller went away');
  }
}

export class BodyIntake {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #held = new Map<string, number>();
  readonly #watched = new Set<Watched>();
  readonly #givenUp = new WeakSet<IncomingMessage>();
  #inMemory = 0;
  #cancel: Cancel | null = null;

  constructor(clock: Clock = systemClock, maxBytes = MAX_IN_MEMORY) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /** Counts the body against `owner` until `use` settles. Fails with OVERLOADED if memory is used up. */
  async read<T>(req: IncomingMessage, maxBytes: number, owner: string, use: (body: Buffer) => T | Promise<T>): Promise<T> {
    if (!hasBody(req)) return use(NOTHING);
    if (req.destroyed) throw new CallerLeft();
    const chunks: Buffer[] = [];
    let kept = 0;
    let isOver = false;
    let refused: Refusal | null = announcedTooLarge(req, maxBytes);
    try {
      const isRefused = (): boolean => refused !== null;
      await this.#consumed(req, { most: maxBytes + SPARE_BYTES, isRefused }, (chunk, size) => {
        if (isOver) return;
        if (size > maxBytes) refused ??= tooLarge(maxBytes);
        else if (refused === null && !this.#take(owner, chunk.length)) refused = refusal('OVERLOADED');
        if (refused !== null) chunks.length = 0;
        else {
          kept += chunk.length;
          chunks.push(chunk);
        }
      });
      if (refused !== null) throw refused;
      return await use(joined(chunks));
    } finally {
      isOver = true;
      this.#giveBack(owner, kept);
    }
  }

  /** Discards the rest of a body before an error response. Returns true if all of it has arrived. */
  async discard(req: IncomingMessage): Promise<boolean> {
    const isBeingRead = req.readableEnded || req.readableFlowing === true;
    if (!isBeingRead && !req.destroyed && hasBody(req) && !this.#givenUp.has(req))
      await this.#consumed(req, { most: MAX_BODY_BYTES + SPARE_BYTES, isRefused: () => true }, () => {}).catch(() => {});
    return req.complete || !hasBody(req);
  }

  /**
   * Calls `tooSlow` if the sender is too slow. Time in which the gateway is not reading does not
   * count.
   */
  watch(req: IncomingMessage, tooSlow: () => void): void {
    const watched = this.#watching(req, never, tooSlow);
    const done = (): void => void this.#watched.delete(watched);
    req.once('end', done).once('close', done);
  }

  #watching(req: IncomingMessage, isRefused: () => boolean, tooSlow: () => void): Watched {
    const { bytesRead } = req.socket;
    const watched = { req, isRefused, tooSlow, bytesRead, since: this.#clock.monotonic(), bytesPolled: bytesRead, idlePolls: 0 };
    this.#watched.add(watched);
    this.#cancel ??= this.#clock.after(POLL_INTERVAL_MS, () => this.#look());
    return watched;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#watched.clear();
  }

  #consumed(
    req: IncomingMessage,
    { most, isRefused }: { readonly most: number; readonly isRefused: () => boolean },
    use: (chunk: Buffer, size: number) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      let size = 0;
      const watched = this.#watching(req, isRefused, () => {
        this.#givenUp.add(req);
        if (isRefused()) resolve();
        else reject(refusal('REQUEST_TIMEOUT'));
      });
      req.on('data', (chunk: Buffer) => {
        size += chunk.length;
        use(chunk, size);
        if (size > most) resolve();
      });
      req.on('end', () => {
        this.#watched.delete(watched);
        resolve();
      });
      req.on('error', reject);
      // `close` also follows every normal `end`, so an error is created only if the body is
      // incomplete.
      req.on('close', () => {
        this.#watched.delete(watched);
        if (!req.readableEnded) reject(new CallerLeft());
      });
    });
  }

  #take(owner: string, bytes: number): boolean {
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (this.#inMemory + bytes > this.#maxBytes || held > this.#maxBytes / SHARES) return false;
    this.#held.set(owner, held);
    this.#inMemory += bytes;
    return true;
  }

  #giveBack(owner: string, bytes: number): void {
    const left = (this.#held.get(owner) ?? 0) - bytes;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
    this.#inMemory -= bytes;
  }

  #look(): void {
    this.#cancel = null;
    const now = this.#clock.monotonic();
    for (const watched of this.#watched) this.#judge(watched, now);
    if (this.#watched.size > 0) this.#cancel = this.#clock.after(POLL_INTERVAL_MS, () => this.#look());
  }

  #judge(watched: Watched, now: number): void {
    const { req } = watched;
    const isOurTurn = req.readableLength > 0;
    const isIdle = req.socket.bytesRead === watched.bytesPolled && !isOurTurn;
    watched.idlePolls = isIdle ? watched.idlePolls + 1 : 0;
    watched.bytesPolled = req.socket.bytesRead;
    if (watched.idlePolls >= IDLE_POLLS && watched.isRefused()) return this.#giveUp(watched);
    if (now - watched.since < WINDOW_MS) return;
    const came = req.socket.bytesRead - watched.bytesRead;
    watched.since = now;
    watched.bytesRead = req.socket.bytesRead;
    if (came >= MIN_BYTES_PER_WINDOW || isOurTurn) return;
    this.#giveUp(watched);
  }

  #giveUp(watched: Watched): void {
    this.#watched.delete(watched);
    watched.tooSlow();
  }
}

function announcedTooLarge({ headers }: IncomingMessage, maxBytes: number): Refusal | null {
  return Number(headers['content-length'] ?? 0) > maxBytes ? tooLarge(maxBytes) : null;
}

const joined = (chunks: readonly Buffer[]): Buffer => (chunks.length === 1 ? at(chunks, 0) : Buffer.concat(chunks));
