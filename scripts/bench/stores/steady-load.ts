import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../runtime/clock.ts';

/** Requests of one kind, evenly spread over a stretch of time. */
export interface Stream {
  readonly name: string;
  /** Whole requests as they go over the wire; taken in turn. */
  readonly requests: readonly string[];
  readonly count: number;
  /** Every answer must have this status. */
  readonly status: number;
}

/** What the load process is asked for: all streams at once, within so long. */
export interface SteadyOrder {
  readonly port: number;
  readonly withinMs: number;
  readonly streams: readonly Stream[];
}

/** How one stream was answered; times in ms from the moment a request was due, so that a load that lags counts as slow and not as nothing. */
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
  const reports = order.streams.map(async (stream) => [stream.name, await streamed(order, stream, since)] as const);
  return Object.fromEntries(await Promise.all(reports));
}

async function streamed({ port, withinMs }: SteadyOrder, { requests, count, status }: Stream, since: number): Promise<Answers> {
  const asked: Promise<Answer>[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const dueAt = since + (nth * withinMs) / count;
    const ahead = dueAt - systemClock.monotonic();
    if (ahead > 0) await wait(ahead);
    asked.push(call(port, requests[nth % requests.length] ?? '', status, dueAt));
  }
  return summed(await Promise.all(asked));
}

/** Over a connection of its own, as a store calls. */
function call(port: number, request: string, status: number, dueAt: number): Promise<Answer> {
  const expected = `HTTP/1.1 ${status}`;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const end = (isAccepted: boolean): void => {
      socket.destroy();
      resolve({ isAccepted, ms: systemClock.monotonic() - dueAt });
    };
    socket.on('connect', () => socket.write(request));
    socket.on('data', (head: Buffer) => end(head.subarray(0, expected.length).toString('latin1') === expected));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
  });
}

function summed(answers: readonly Answer[]): Answers {
  const times = answers.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  return { accepted: answers.filter(({ isAccepted }) => isAccepted).length, p50: at(0.5), p99: at(0.99) };
}

process.on('message', (order: SteadyOrder) => {
  played(order).then((report) => process.send?.(report));
});
