import { type Dispatcher, errors } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import { type Deadlines, Link } from '../../../runtime/deadlines.ts';
import { cut } from '../../domain/cut.ts';
import type { Outcome } from './retry-schedule.ts';

export interface HttpJob {
  readonly tenantId: string;
  readonly url: string;
  readonly body: Buffer;
  /** Header names and values in turn. Built when the request starts, which may be later than `send`. */
  headers(now: number): string[];
  /** Called once, never synchronously. Not called if `callOff` has aborted the request. */
  ended(outcome: Outcome): void;
}

export interface RequestTarget {
  readonly origin: string;
  readonly host: string;
  readonly path: string;
}

interface HostSlots {
  readonly clock: Clock;
  left(attempt: Attempt): void;
}

const ANSWERS_WITHIN_MS = 10_000;
const MAX_READ_BYTES = 4_096;
const SHOWN_CHARACTERS = 500;
const SHOWN_BYTES = 4 * SHOWN_CHARACTERS;

/** Reports once the displayed part of the body is here. Then reads the rest to reuse the connection. */
export class Attempt extends Link implements Dispatcher.DispatchHandler {
  readonly target: RequestTarget;
  readonly #httpJob: HttpJob;
  readonly #hostSlots: HostSlots;
  #controller: Dispatcher.DispatchController | null = null;
  #startedAt: number | null = null;
  #status: number | null = null;
  readonly #shown: Buffer[] = [];
  #isReported = false;
  #isOver = false;
  #read = 0;

  constructor(httpJob: HttpJob, target: RequestTarget, hostSlots: HostSlots) {
    super();
    this.#httpJob = httpJob;
    this.target = target;
    this.#hostSlots = hostSlots;
  }

  get tenantId(): string {
    return this.#httpJob.tenantId;
  }

  get wasStarted(): boolean {
    return this.#startedAt !== null;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  start(dispatcher: Dispatcher, deadlines: Deadlines): void {
    const { body } = this.#httpJob;
    const { origin, path } = this.target;
    const { clock } = this.#hostSlots;
    this.#startedAt = clock.monotonic();
    deadlines.add(this, ANSWERS_WITHIN_MS, this.#startedAt);
    dispatcher.dispatch({ origin, path, method: 'POST', headers: this.#httpJob.headers(clock.now()), body }, this);
  }

  callOff(): void {
    this.#isReported = true;
    this.#end('called off');
  }

  override expire(): void {
    this.#tell('timeout');
    this.#end('timeout');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('too late'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < SHOWN_BYTES) this.#shown.push(chunk.subarray(0, SHOWN_BYTES - this.#read));
    this.#read += chunk.length;
    if (this.#read >= SHOWN_BYTES) this.#tell(null);
    if (this.#read > MAX_READ_BYTES) this.#end('read enough');
  }

  onResponseEnd(): void {
    this.#tell(null);
    this.#leave();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    // undici may report a failure synchronously, so report it in a microtask.
    queueMicrotask(() => {
      this.#tell(codeOf(cause));
      this.#leave();
    });
  }

  #tell(error: string | null): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const status = this.#status;
    const durationMs = Math.round(this.#hostSlots.clock.monotonic() - (this.#startedAt ?? 0));
    const body = status === null ? null : cut(Buffer.concat(this.#shown).toString('utf8'), SHOWN_CHARACTERS);
    this.#httpJob.ended({ status, error: status === null ? error : null, durationMs, body });
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
    this.#hostSlots.left(this);
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
