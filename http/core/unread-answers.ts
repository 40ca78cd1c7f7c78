import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { type Cancel, type Clock, systemClock } from '../../runtime/clock.ts';
import { Counts } from '../../runtime/metrics/counts.ts';
import { memberOf } from '../../runtime/shapes.ts';

const STALLED_BYTES = 1024 * 1024;
const STALLED_MS = 10_000;
const MAX_UNSENT_BYTES = 24 * 1024 * 1024;
const IDLE_MS = 1_000;
const LOOKED_EVERY_MS = 250;
const LOOKED_AFTER_BYTES = 4 * 1024 * 1024;
const LARGE_BYTES = 64 * 1024;

const REASONS = ['stalled', 'memory'] as const;
type Reason = (typeof REASONS)[number];

interface Reader {
  readonly socket: Socket;
  taken: number;
  /** `clock.monotonic()` when the reader last accepted bytes or had nothing left to accept. */
  since: number;
  unsent: number;
  answer: ServerResponse | null;
  answerBytes: number;
}

/**
 * Limits the memory of unread responses. Stalled responses are dropped, and above 24 MB the largest
 * ones too.
 */
export class UnreadAnswers {
  readonly dropped = new Counts(REASONS);
  readonly #clock: Clock;
  readonly #readers = new Map<Socket, Reader>();
  #log: Logger | null = null;
  #cancel: Cancel | null = null;
  #unseenBytes = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  watch(listener: Server, log: Logger): void {
    this.#log = log;
    listener.on('connection', (socket: Socket) => {
      this.#readers.set(socket, { socket, taken: 0, since: this.#clock.monotonic(), unsent: 0, answer: null, answerBytes: 0 });
      socket.once('close', () => this.#readers.delete(socket));
      this.#lookLater();
    });
  }

  /** Counts a response's bytes until they have been written, even while they wait for a compressor. */
  begins(answer: ServerResponse, bytes: number): void {
    if (bytes < LARGE_BYTES) return;
    const reader = answer.socket && this.#readers.get(answer.socket);
    if (reader) Object.assign(reader, { answer, answerBytes: bytes, since: this.#clock.monotonic() });
    this.#unseenBytes += bytes;
    if (this.#unseenBytes >= LOOKED_AFTER_BYTES) this.#look();
  }

  /** Stops watching a live stream, which has its own limit. */
  release(connection: Socket): void {
    this.#readers.delete(connection);
  }

  get bytes(): number {
    let sum = 0;
    for (const reader of this.#readers.values()) sum += unsentOf(reader);
    return sum;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#readers.clear();
  }

  #lookLater(): void {
    this.#cancel ??= this.#clock.after(LOOKED_EVERY_MS, () => {
      this.#cancel = null;
      this.#look();
      if (this.#readers.size > 0) this.#lookLater();
    });
  }

  #look(): void {
    const now = this.#clock.monotonic();
    const unread: Reader[] = [];
    let sum = 0;
    this.#unseenBytes = 0;
    for (const reader of this.#readers.values()) {
      measure(reader, now);
      if (reader.unsent === 0) continue;
      if (reader.unsent >= STALLED_BYTES && now - reader.since >= STALLED_MS) this.#drop(reader, 'stalled');
      else {
        unread.push(reader);
        sum += reader.unsent;
      }
    }
    if (sum <= MAX_UNSENT_BYTES) return;
    const isIdle = ({ since }: Reader): number => Number(now - since >= IDLE_MS);
    unread.sort((one, other) => isIdle(other) - isIdle(one) || other.unsent - one.unsent);
    for (const reader of unread) {
      if (sum <= MAX_UNSENT_BYTES) break;
      this.#drop(reader, 'memory');
      sum -= reader.unsent;
    }
  }

  #drop(reader: Reader, because: Reason): void {
    const { socket, unsent, answer } = reader;
    this.#readers.delete(socket);
    this.dropped.add(because);
    this.#log?.warn(
      { event: 'http.answer_dropped', req: answer?.getHeader('x-request-id'), because, bytes: unsent },
      'a response that its caller did not read was dropped',
    );
    socket.resetAndDestroy();
  }
}

function measure(reader: Reader, now: number): void {
  const taken = takenOf(reader.socket);
  reader.unsent = unsentOf(reader);
  if (reader.unsent > 0 && taken === reader.taken) return;
  reader.taken = taken;
  reader.since = now;
}

function unsentOf({ socket, answer, answerBytes }: Reader): number {
  const written = socket.writableLength;
  return answer === null || answer.writableEnded ? written : Math.max(written, answerBytes);
}

/** Node's handle counts the accepted bytes, but `writableLength` changes only after a whole write. */
function takenOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const [written, waiting] = [memberOf(handle, 'bytesWritten'), memberOf(handle, 'writeQueueSize')];
  return typeof written === 'number' && typeof waiting === 'number' ? written - waiting : -socket.writableLength;
}
