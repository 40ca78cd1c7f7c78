/**
 * Keeps real time, randomness, threads and sockets out of a simulated world. Import it before any module of the
 * gateway. Within a world (`enterWorld`), `node:crypto` draws from the world's seed; `Date.now`, `performance.now` and
 * the timers of libraries follow its clock; servers do not listen. Work of other threads (WebCrypto, `fs.promises`)
 * completes one job at a time, in the order of the requests, once everything else is idle. So each seed has exactly
 * one history. Outside of a world, Node is unchanged.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';

type Call = (...given: unknown[]) => unknown;
type Callables = Record<string, Call>;

const require = createRequire(import.meta.url);
const crypto: Callables = require('node:crypto');
const timers: Callables = require('node:timers');
const timersPromises: Callables = require('node:timers/promises');
const fs: { promises: Callables } = require('node:fs');
const net: { Server: { prototype: object }; Socket: { prototype: Callables } } = require('node:net');
const http: { Server: { prototype: object } } = require('node:http');

/** The original functions of Node. */
const real = {
  performanceNow: performance.now.bind(performance),
  dateNow: Date.now.bind(Date),
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
};

let clock: Clock | null = null;
let random: Random = () => 0.5;
let port = 0;
/** Immediates that were set but have not run yet. */
let turns = 0;

/** Makes Node use this clock and this random stream from now on. */
export function enterWorld(time: Clock, chance: Random): void {
  clock = time;
  random = chance;
  port = 20_000;
}

export function leaveWorld(): void {
  clock = null;
}

interface Job {
  readonly ended: Promise<void>;
  release(): void;
}
const jobs: Job[] = [];

/** Resolves once everything that can happen without passing time has happened. */
export async function quiet(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => real.setImmediate(resolve));
    if (turns > 0) continue;
    const job = jobs.shift();
    if (!job) return;
    await job.ended;
    job.release();
  }
}

/** Starts the work immediately, but completes it in turn. */
function inTurn<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let release = (): void => {};
    const ended = work.then(
      (value) => {
        release = () => resolve(value);
      },
      (cause) => {
        release = () => reject(cause);
      },
    );
    jobs.push({ ended, release: () => release() });
  });
}

function replaceChance(): void {
  const own = { ...crypto };
  const fill = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(random() * 256);
  };
  const filled = <T extends ArrayBufferView>(bytes: T): T => {
    fill(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return bytes;
  };
  const replace = (name: string, made: Call): void => {
    crypto[name] = (...given) => (clock ? made(...given) : own[name]?.(...given));
  };
  replace('randomBytes', (size, done) => {
    const bytes = Buffer.alloc(Number(size));
    fill(bytes);
    if (typeof done !== 'function') return bytes;
    return process.nextTick(() => done(null, bytes));
  });
  replace('randomFillSync', (bytes) => filled(bytes as Uint8Array));
  replace('randomInt', (low, high) => {
    const [from, to] = typeof high === 'number' ? [Number(low), high] : [0, Number(low)];
    return from + Math.floor(random() * (to - from));
  });
  replace('randomUUID', () => {
    const hex = filled(Buffer.alloc(16)).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  });
  const webcrypto = globalThis.crypto;
  const drawn = webcrypto.getRandomValues.bind(webcrypto);
  const value = (bytes: Uint8Array): Uint8Array => (clock ? filled(bytes) : drawn(bytes as Uint8Array<ArrayBuffer>));
  Object.defineProperty(webcrypto, 'getRandomValues', { value, configurable: true });
  const ownRandom = Math.random;
  Math.random = () => (clock ? random() : ownRandom());
}

function replaceTime(): void {
  Date.now = () => (clock ? clock.now() : real.dateNow());
  const value = (): number => (clock ? clock.monotonic() : real.performanceNow());
  Object.defineProperty(performance, 'now', { value, configurable: true });
}

class LibraryTimer {
  readonly #cancel: { run: () => void };
  readonly #again: () => void;

  constructor(time: Clock, ms: number, run: () => void, isRepeated: boolean) {
    const cancel = { run: (): void => {} };
    const again = (): void => {
      cancel.run = time.after(Math.max(1, Math.ceil(ms || 1)), () => {
        if (isRepeated) again();
        run();
      });
    };
    this.#cancel = cancel;
    this.#again = again;
    again();
  }

  cancel(): void {
    this.#cancel.run();
  }

  close(): this {
    this.cancel();
    return this;
  }

  refresh(): this {
    this.cancel();
    this.#again();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }

  [Symbol.toPrimitive](): number {
    return 1;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

function replaceTimers(): void {
  const begun =
    (own: Call, isRepeated: boolean): Call =>
    (run, ms, ...given) => {
      if (!clock) return own(run, ms, ...given);
      return new LibraryTimer(clock, Number(ms), () => void (run as Call)(...given), isRepeated);
    };
  const ended = (timer: unknown): void => {
    if (timer instanceof LibraryTimer) timer.cancel();
    else real.clearTimeout(timer as NodeJS.Timeout);
  };
  const made = {
    setTimeout: begun(real.setTimeout as Call, false),
    setInterval: begun(real.setInterval as Call, true),
    clearTimeout: ended,
    clearInterval: ended,
  };
  Object.assign(globalThis, made);
  Object.assign(timers, made);
  const own = timersPromises['setTimeout'];
  timersPromises['setTimeout'] = (ms, value) => {
    if (!clock) return own?.(ms, value);
    const time = clock;
    return new Promise((resolve) => new LibraryTimer(time, Number(ms), () => resolve(value), false));
  };
}

/** Counts pending immediates, so that a world knows when it is idle. */
function countTurns(): void {
  const waiting = new WeakSet<object>();
  const begun = (run: Call, ...given: unknown[]): NodeJS.Immediate => {
    turns += 1;
    const handle = real.setImmediate(() => {
      waiting.delete(handle);
      turns -= 1;
      run(...given);
    });
    waiting.add(handle);
    return handle;
  };
  const ended = (handle: NodeJS.Immediate | undefined): void => {
    if (handle && waiting.delete(handle)) turns -= 1;
    real.clearImmediate(handle);
  };
  const made = { setImmediate: begun, clearImmediate: ended };
  Object.assign(globalThis, made);
  Object.assign(timers, made);
  timersPromises['setImmediate'] = (value) => new Promise((resolve) => begun(() => resolve(value)));
}

function replaceThreads(): void {
  const { subtle } = globalThis.crypto;
  for (const name of ['sign', 'verify', 'digest', 'importKey', 'encrypt', 'decrypt', 'deriveBits', 'deriveKey', 'generateKey']) {
    const own = Reflect.get(subtle, name).bind(subtle);
    const value = (...asked: unknown[]): unknown => (clock ? inTurn(own(...asked)) : own(...asked));
    Object.defineProperty(subtle, name, { value, configurable: true });
  }
  for (const name of ['readFile', 'writeFile', 'open', 'stat', 'readdir', 'mkdir', 'rename', 'rm', 'unlink']) {
    const own = fs.promises[name];
    fs.promises[name] = (...asked) => (clock ? inTurn(Promise.resolve(own?.(...asked))) : own?.(...asked));
  }
}

/** Replaces listening: servers of a world receive their requests directly. */
function replaceListening(): void {
  const { prototype } = net.Server;
  const ports = new WeakMap<object, number>();
  const replace = (of: object, name: string, made: (server: NodeJS.EventEmitter, given: readonly unknown[]) => unknown): void => {
    const before: Call = Reflect.get(of, name);
    Reflect.set(of, name, function (this: NodeJS.EventEmitter, ...given: unknown[]) {
      return clock ? made(this, given) : before.apply(this, given);
    });
  };
  replace(prototype, 'listen', (server, given) => {
    ports.set(server, port++);
    const done = given.findLast((one) => typeof one === 'function');
    process.nextTick(() => {
      server.emit('listening');
      done?.();
    });
    return server;
  });
  replace(prototype, 'address', (server) => ({ address: '127.0.0.1', family: 'IPv4', port: ports.get(server) ?? 0 }));
  const close = (server: NodeJS.EventEmitter, [done]: readonly unknown[]): unknown => {
    process.nextTick(() => {
      server.emit('close');
      if (typeof done === 'function') done();
    });
    return server;
  };
  replace(prototype, 'close', close);
  replace(http.Server.prototype, 'close', close);
  replace(http.Server.prototype, 'closeIdleConnections', () => {});
  replace(http.Server.prototype, 'closeAllConnections', () => {});
  const connect = net.Socket.prototype['connect'];
  net.Socket.prototype['connect'] = function (this: unknown, ...given: unknown[]) {
    if (clock) throw new Error('a simulated world has no sockets');
    return connect?.apply(this, given);
  };
}

replaceChance();
replaceTime();
replaceTimers();
countTurns();
replaceThreads();
replaceListening();
syncBuiltinESMExports();
