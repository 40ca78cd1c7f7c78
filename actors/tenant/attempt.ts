import { type Dispatcher, errors } from 'undici';
import type { Clock } from '../../runtime/clock.ts';
import { type Deadlines, Link } from '../../runtime/deadlines.ts';
import type { Outcome } from './schedule.ts';

/** What is brought, and who hears what became of it. */
export interface Parcel {
  readonly url: string;
  readonly body: Buffer;
  /** Names and values in turns. Made when the request starts, which may be later than it was ordered. */
  headers(now: number): string[];
  /** Called once, not synchronously, unless it is called off. */
  ended(outcome: Outcome): void;
}

/** Where to, as undici wants it. */
export interface Place {
  readonly origin: string;
  readonly host: string;
  readonly path: string;
}

/** Who keeps the places at a host. */
interface Doors {
  readonly clock: Clock;
  /** It needs no place at its host any more. */
  left(attempt: Attempt): void;
}

/** From the start of connecting to the first line of the answer (spec.md part 6), and to its end. */
const ANSWERS_WITHIN_MS = 10_000;
/** More of an answer than this is not read. */
const MOST_READ_BYTES = 4_096;

/** One request. Told by its status line; the rest of a short answer is read only so that the connection can serve again. */
export class Attempt extends Link implements Dispatcher.DispatchHandler {
  readonly place: Place;
  readonly #parcel: Parcel;
  readonly #doors: Doors;
  #controller: Dispatcher.DispatchController | null = null;
  #startedAt: number | null = null;
  #isTold = false;
  #isOver = false;
  #read = 0;

  constructor(parcel: Parcel, place: Place, doors: Doors) {
    super();
    this.#parcel = parcel;
    this.place = place;
    this.#doors = doors;
  }

  get wasStarted(): boolean {
    return this.#startedAt !== null;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  start(dispatcher: Dispatcher, deadlines: Deadlines): void {
    const { body } = this.#parcel;
    const { origin, path } = this.place;
    const { clock } = this.#doors;
    this.#startedAt = clock.monotonic();
    deadlines.add(this, ANSWERS_WITHIN_MS, this.#startedAt);
    dispatcher.dispatch({ origin, path, method: 'POST', headers: this.#parcel.headers(clock.now()), body }, this);
  }

  callOff(): void {
    this.#isTold = true;
    this.#end('called off');
  }

  override expire(): void {
    this.#tell(null, 'timeout');
    this.#end('timeout');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('too late'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#tell(status, null);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read += chunk.length;
    if (this.#read > MOST_READ_BYTES) this.#end('read enough');
  }

  onResponseEnd(): void {
    this.#leave();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    // What undici refuses at once it tells at once.
    queueMicrotask(() => {
      this.#tell(null, codeOf(cause));
      this.#leave();
    });
  }

  #tell(status: number | null, error: string | null): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#parcel.ended({ status, error, durationMs: Math.round(this.#doors.clock.monotonic() - (this.#startedAt ?? 0)) });
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.#leave();
    this.#controller?.abort(new Error(why));
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.unlink();
    this.#doors.left(this);
  }
}

const CODES: Readonly<Record<string, string>> = {
  EGRESS_BLOCKED: 'blocked',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_long',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
};

function codeOf(cause: Error): string {
  if (cause instanceof errors.HTTPParserError) return 'not_http';
  const code = 'code' in cause ? String(cause.code) : '';
  return CODES[code] ?? (/CERT|TLS|SSL|SIGNATURE/.test(code) ? 'tls' : 'connection_failed');
}
