import { connect, type Socket } from 'node:net';
import { systemClock } from '../../../runtime/clock.ts';
import { at, before } from '../../../runtime/invariant.ts';

/** Each connection sends the next request as soon as it has the previous response. */
export interface LoadOrder {
  readonly port: number;
  /** Requests to send in turn. By default, the requests of the previous order are continued. */
  readonly requests?: readonly string[];
  readonly connections: number;
  readonly answers: number;
  readonly status: number;
}

/** The total time is in s, percentiles are in ms. `complaint` is the first error or an empty string. */
export interface LoadReport {
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly complaint: string;
}

const HEAD_END = '\r\n\r\n';

class Caller {
  readonly #socket: Socket;
  readonly #next: () => Buffer;
  readonly #answered: (head: string, ms: number) => void;
  #received = '';
  #askedAt = 0;

  constructor(port: number, next: () => Buffer, answered: (head: string, ms: number) => void, failed: (complaint: string) => void) {
    this.#next = next;
    this.#answered = answered;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('connect', () => this.#ask());
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on('error', (cause) => failed(cause.message));
    this.#socket.on('end', () => failed('the server hung up'));
  }

  end(): void {
    this.#socket.removeAllListeners('end').destroy();
  }

  #ask(): void {
    this.#askedAt = systemClock.monotonic();
    this.#socket.write(this.#next());
  }

  #receive(chunk: Buffer): void {
    this.#received += chunk.toString('latin1');
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1] ?? 'unknown';
    if (this.#received.length < end + HEAD_END.length + Number(length)) return;
    this.#received = '';
    this.#answered(head, systemClock.monotonic() - this.#askedAt);
    this.#ask();
  }
}

let wire: readonly Buffer[] = [];
let asked = 0;

async function play({ port, requests, connections, answers, status }: LoadOrder): Promise<LoadReport> {
  if (requests) {
    wire = requests.map((request) => Buffer.from(request, 'latin1'));
    asked = 0;
  }
  const expected = `HTTP/1.1 ${status}`;
  const took: number[] = [];
  const { promise: over, resolve: end } = Promise.withResolvers<string>();
  const answered = (head: string, tookMs: number): void => {
    if (!head.startsWith(expected)) end(before(head, '\r\n'));
    if (took.push(tookMs) === answers) end('');
  };
  const began = systemClock.monotonic();
  const callers = Array.from({ length: connections }, () => new Caller(port, () => at(wire, asked++ % wire.length), answered, end));
  const complaint = await over;
  const seconds = (systemClock.monotonic() - began) / 1_000;
  for (const caller of callers) caller.end();
  took.sort((a, b) => a - b);
  return { seconds, p50: quantile(took, 0.5), p99: quantile(took, 0.99), complaint };
}

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(sorted.length * q)] ?? Number.NaN;

process.on('message', (order: LoadOrder) => {
  play(order).then((report) => process.send?.(report));
});
