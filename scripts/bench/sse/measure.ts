import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../runtime/clock.ts';
import type { Progress, ReadersOrder } from './readers.ts';

export interface Subject {
  readonly port: number;
  readonly paths: readonly string[];
  say(): void;
  readonly frameBytes: number;
}

const isQuick = process.argv.includes('quick');
export const CLIENTS = isQuick ? 300 : 1_000;
export const FILLING = 'x'.repeat(120);

const FIRST = 100;
const perTurn = process.argv.includes('burst') ? 10 : 1;
const TURNS = isQuick ? 20 : 300;
const WARM_UP_TURNS = isQuick ? 10 : 100;
/** Number of ticks whose events may be in flight before the clients must catch up. */
const AHEAD = 10;

/** Clients run in a separate process, so that only the server's CPU time is counted. */
class Room {
  readonly #process: ChildProcess = fork(fileURLToPath(new URL('./readers.ts', import.meta.url)));
  #progress: Progress = { open: 0, bytes: 0 };
  #received = (): void => {};

  constructor() {
    this.#process.on('message', (progress: Progress) => {
      this.#progress = progress;
      this.#received();
    });
  }

  get open(): number {
    return this.#progress.open;
  }

  get bytes(): number {
    return this.#progress.bytes;
  }

  fill(order: ReadersOrder): void {
    this.#process.send(order);
  }

  async until(isSo: (progress: Progress) => boolean): Promise<void> {
    while (!isSo(this.#progress)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#received = resolve;
      await promise;
    }
  }

  empty(): void {
    this.#process.kill();
  }
}

export async function report({ port, paths, say, frameBytes }: Subject): Promise<never> {
  const room = new Room();
  // The first streams are measured separately, because later ones share most of their memory.
  const before = await memoryWith(room, port, paths.slice(0, FIRST));
  const idle = await memoryWith(room, port, paths.slice(FIRST));

  const play = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += AHEAD) {
      const target = room.bytes + AHEAD * perTurn * frameBytes * paths.length;
      for (let n = 0; n < AHEAD; n += 1) await aTurn(say);
      await room.until(({ bytes }) => bytes >= target);
    }
  };
  await play(WARM_UP_TURNS);
  const cpu = process.cpuUsage();
  const since = systemClock.monotonic();
  await play(TURNS);
  const ms = systemClock.monotonic() - since;
  const { user, system } = process.cpuUsage(cpu);
  const deliveries = TURNS * perTurn * paths.length;
  room.empty();
  const perStream = (key: 'heapUsed' | 'rss'): number => (idle[key] - before[key]) / (paths.length - FIRST) / 1_024;
  const figures = { cpuUs: (user + system) / deliveries, rate: (deliveries / ms) * 1_000 };
  console.log(JSON.stringify({ ...figures, heapKb: perStream('heapUsed'), rssKb: perStream('rss') }));
  process.exit(0);
}

async function memoryWith(room: Room, port: number, paths: readonly string[]): Promise<NodeJS.MemoryUsage> {
  const wanted = room.open + paths.length;
  room.fill({ port, paths });
  await room.until(({ open }) => open === wanted);
  await systemPause();
  globalThis.gc?.();
  return process.memoryUsage();
}

async function aTurn(say: () => void): Promise<void> {
  for (let n = 0; n < perTurn; n += 1) say();
  await new Promise(setImmediate);
}

const systemPause = (): Promise<void> => new Promise((resolve) => void systemClock.after(300, resolve));
