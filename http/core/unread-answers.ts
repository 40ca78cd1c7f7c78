import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { type Cancel, type Clock, systemClock } from '../../runtime/clock.ts';
import { Counts } from '../../runtime/metrics/counts.ts';
import { memberOf } from '../../runtime/shapes.ts';

/** A response with this many unsent bytes is dropped if its reader does not accept a byte for `STALLED_MS`. */
const STALLED_BYTES = 1024 * 1024;
const STALLED_MS = 10_000;
/** Maximum unsent bytes of all responses in the process. */
const MAX_UNSENT_BYTES = 24 * 1024 * 1024;
/** When memory is short, responses to readers that were idle for this long are dropped first. */
const IDLE_MS = 1_000;
const LOOKED_EVERY_MS = 250;
/** After this many bytes of large responses, memory is checked before the next timer tick. */
const LOOKED_AFTER_BYTES = 4 * 1024 * 1024;
const LARGE_BYTES = 64 * 1024;

const REASONS = ['stalled', 'memory'] as const;
type Reason = (typeof REASONS)[number];

interface Reader {
  readonly socket: Socket;
  /** Bytes accepted by the operating system when `since` was set. */
  taken: number;
  /** `clock.monotonic()` when the reader last accepted bytes or had nothing to accept. */
  since: number;
  unsent: number;
  answer: ServerResponse | null;
  answerBytes: number;
}

/**
 * Bounds the memory of responses that callers request but do not read. Node keeps a response until the
 * operating system accepts its bytes, without any limit. A response with a megabyte unsent is dropped
 * after ten seconds in which its reader accepted nothing. When all responses in the process exceed 24
 * MB together, the largest are dropped, starting with those whose readers were idle for a second. A
 * reader that keeps accepting bytes, however slowly, is not stalled. Dropping resets the connection,
 * because the operating system would keep its part for a reader that may never continue. Everything is
 * held in memory, for this process only. Sockets live in real time, so the clock is the system's
 * except in tests.
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

  /** Registers a large response. Its bytes count until it is written, including bytes that wait for a compressor. */
  begins(answer: ServerResponse, bytes: number): void {
    if (bytes < LARGE_BYTES) return;
    const reader = answer.socket && this.#readers.get(answer.socket);
    if (reader) Object.assign(reader, { answer, answerBytes: bytes, since: this.#clock.monotonic() });
    this.#unseenBytes += bytes;
    if (this.#unseenBytes >= LOOKED_AFTER_BYTES) this.#look();
  }

  /** Stops watching a connection that became a live stream, which has its own limit. */
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
      'an answer that its caller did not read was dropped',
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

/** Node's own handle counts accepted bytes; `writableLength` changes only once a whole write is accepted. */
function takenOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const [written, waiting] = [memberOf(handle, 'bytesWritten'), memberOf(handle, 'writeQueueSize')];
  return typeof written === 'number' && typeof waiting === 'number' ? written - waiting : -socket.writableLength;
}
