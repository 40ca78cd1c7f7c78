import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../runtime/clock.ts';

export interface Stream {
  readonly name: string;
  readonly requests: readonly string[];
  readonly count: number;
  readonly status: number;
}

export interface SteadyOrder {
  readonly port: number;
  readonly withinMs: number;
  readonly isKept: boolean;
  readonly streams: readonly Stream[];
}

/** Latencies in ms since a request was due, so that delays of the load generator are included. */
export interface Answers {
  readonly accepted: number;
  readonly p50: number;
  readonly p99: number;
}

export type SteadyReport = Readonly<Record<string, Answers>>;

interface Answer {
  readonly isAccepted: boolean;
  readonly ms: number;
}

async function played(order: SteadyOrder): Promise<SteadyReport> {
  const since = systemClock.monotonic();
  const pool = new Pool(order.port, order.isKept);
  const reports = order.streams.map(async (stream) => [stream.name, await streamed(order, stream, pool, since)] as const);
  const report = Object.fromEntries(await Promise.all(reports));
  pool.end();
  return report;
}

async function streamed({ withinMs }: SteadyOrder, { requests, count, status }: Stream, pool: Pool, since: number): Promise<Answers> {
  const asked: Promise<Answer>[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const dueAt = since + (nth * withinMs) / count;
    const ahead = dueAt - systemClock.monotonic();
    if (ahead > 0) await wait(ahead);
    asked.push(pool.call(requests[nth % requests.length] ?? '', status, dueAt));
  }
  return summed(await Promise.all(asked));
}

class Pool {
  readonly #port: number;
  readonly #isKept: boolean;
  readonly #free: Socket[] = [];

  constructor(port: number, isKept: boolean) {
    this.#port = port;
    this.#isKept = isKept;
  }

  call(request: string, status: number, dueAt: number): Promise<Answer> {
    const expected = `HTTP/1.1 ${status}`;
    const socket = this.#free.pop() ?? connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    let received = '';
    return new Promise((resolve) => {
      const end = (isAccepted: boolean): void => {
        socket.removeAllListeners();
        if (isAccepted && this.#isKept) this.#free.push(socket);
        else socket.destroy();
        resolve({ isAccepted, ms: systemClock.monotonic() - dueAt });
      };
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
        if (isWhole(received)) end(received.startsWith(expected));
      });
      socket.on('error', () => end(false));
      socket.on('close', () => end(false));
      socket.write(request);
    });
  }

  end(): void {
    for (const socket of this.#free.splice(0)) socket.destroy();
  }
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(answer)?.[1];
  return end >= 0 && length !== undefined && answer.length >= end + 4 + Number(length);
}

function summed(answers: readonly Answer[]): Answers {
  const times = answers.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  return { accepted: answers.filter(({ isAccepted }) => isAccepted).length, p50: at(0.5), p99: at(0.99) };
}

process.on('message', (order: SteadyOrder) => {
  played(order).then((report) => process.send?.(report));
});
