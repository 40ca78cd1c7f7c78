/**
 * The external connections of a simulated process. Each can lose, delay and cut its traffic, and closes when the
 * process dies.
 */
import { Readable } from 'node:stream';
import { MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import { Dispatcher } from 'undici';
import type { Network } from '../../actors/network/port.ts';
import type { Coordination } from '../../runtime/cluster/port.ts';
import type { Egress } from '../../runtime/egress/egress.ts';
import type { MediaBytes } from '../../store/media/media.ts';
import type { Call, Passage } from '../support/simulated-mongo/simulated-mongo.ts';
import { PLATFORM, PlatformLine } from './platform.ts';
import { Dead, type Process } from './process.ts';
import type { World } from './world.ts';

/** Time for which the driver looks for a server, in ms. */
const LOOKS_FOR_MS = 20_000;

const connectionLost = (): Error => new MongoNetworkError('connection 7 to 10.0.0.1:27017 closed');
const noServer = (): Error =>
  Reflect.construct(MongoServerSelectionError, [`Server selection timed out after ${LOOKS_FOR_MS} ms`, { servers: new Map() }]);

/** Returns the connection to the store. */
export function passageOf(world: World, process: Process): Passage {
  return (apply, call) => {
    const dies = process.diesAt(call.isWrite ? 'write' : 'read');
    if (dies) world.history.note(`${process.name} dies ${dies} ${call.method} of ${call.table}`);
    if (dies === 'before') process.kill();
    return process.answered((resolve, reject) => new StoreCall(world, process, call, dies !== null).begin(apply, resolve, reject));
  };
}

/** A store call in transit. The call or its reply can be lost; the call can wait for a server, or kill its process. */
class StoreCall {
  readonly #world: World;
  readonly #process: Process;
  readonly #call: Call;
  readonly #isLast: boolean;
  readonly #lost: { readonly request: boolean; readonly reply: boolean };
  readonly #ms: { readonly to: number; readonly back: number };
  readonly #since: number;

  constructor(world: World, process: Process, call: Call, isLast: boolean) {
    this.#world = world;
    this.#process = process;
    this.#call = call;
    this.#isLast = isLast;
    world.storeCalls += 1;
    const { random } = process;
    const { lostRequest, lostReply } = world.weather.store;
    this.#lost = { request: random() < lostRequest, reply: random() < lostReply };
    const late = stumbleOver(world, process, call);
    this.#ms = { to: late + world.travel('store', random), back: world.travel('store', random) };
    this.#since = world.time.monotonic() + late;
  }

  begin<T>(apply: () => T, resolve: (value: T) => void, reject: (cause: unknown) => void): void {
    this.#world.time.after(this.#ms.to, () => this.#arrive(apply, resolve, reject));
  }

  #arrive<T>(apply: () => T, resolve: (value: T) => void, reject: (cause: unknown) => void): void {
    const { time } = this.#world;
    if (this.#isAway()) {
      if (time.monotonic() - this.#since > LOOKS_FOR_MS) reject(noServer());
      else time.after(500, () => this.#arrive(apply, resolve, reject));
      return;
    }
    if (this.#lost.request) return this.#fail(reject, 'request lost');
    const answer = outcomeOf(() => {
      this.#world.writer = { process: this.#process.name, args: this.#call.args };
      return apply();
    });
    if (this.#call.isWrite) this.#note(idOf(this.#call));
    if (this.#isLast) return this.#process.kill();
    if (this.#lost.reply) return this.#fail(reject, 'reply lost');
    time.after(this.#ms.back, () => ('refused' in answer ? reject(answer.refused) : resolve(answer.value)));
  }

  #isAway(): boolean {
    return this.#world.isStoreDown || this.#world.cut.has(`${this.#process.node} store`);
  }

  #fail(reject: (cause: unknown) => void, what: string): void {
    this.#note(what);
    this.#world.time.after(200, () => reject(connectionLost()));
  }

  #note(what: string): void {
    this.#world.history.note(`${this.#process.name} ${this.#call.method} ${this.#call.table}: ${what}`, false);
  }
}

function outcomeOf<T>(work: () => T): { readonly value: T } | { readonly refused: unknown } {
  try {
    return { value: work() };
  } catch (refused) {
    return { refused };
  }
}

/** Returns the additional delay of this call in ms. */
function stumbleOver(world: World, process: Process, call: Call): number {
  const stumble = world.stumbles.get(process.name);
  if (stumble?.table !== call.table || !call.isWrite || (stumble.method ?? call.method) !== call.method) return 0;
  world.stumbles.delete(process.name);
  world.history.note(`${process.name} stands still for ${stumble.ms} ms, with a ${call.method} of ${call.table} under way`);
  process.pause();
  world.time.after(stumble.ms + 50, () => process.resume());
  return stumble.ms;
}

function idOf({ args: [first] }: Call): string {
  const id = typeof first === 'object' && first !== null && '_id' in first ? first._id : '';
  return typeof id === 'string' ? id : '';
}

/** Returns the connection to Redis. */
export function coordinationOf(world: World, process: Process): Coordination {
  const far = world.redis.place(process.node).coordination;
  const here = <T>(ask: () => Promise<T>): Promise<T> => (process.isKilled ? Promise.reject(new Dead('dead')) : process.gate(ask()));
  return {
    beat: (...asked) => here(() => far.beat(...asked)),
    part: (...asked) => here(() => far.part(...asked)),
    acquire: (...asked) => here(() => far.acquire(...asked)),
    replace: (...asked) => here(() => far.replace(...asked)),
    renew: (...asked) => here(() => far.renew(...asked)),
    release: (...asked) => here(() => far.release(...asked)),
    holders: (...asked) => here(() => far.holders(...asked)),
    count: (...asked) => here(() => far.count(...asked)),
    acquireSeat: (...asked) => here(() => far.acquireSeat(...asked)),
    releaseSeat: (...asked) => here(() => far.releaseSeat(...asked)),
    publish: (...asked) => here(() => far.publish(...asked)),
    subscribe: (channel, receive) => here(() => far.subscribe(channel, (text) => process.deliver(() => receive(text)))),
    ping: () => here(() => far.ping()),
    close: async () => {},
  };
}

const ANSWERED: ReadonlySet<string | symbol> = new Set(['download', 'pairingCode', 'lookUp', 'ask', 'logOut']);

/** Returns the connection to the phones. A kill can occur before and after each command to the network. */
export function networkOf(world: World, process: Process): Network {
  const inner = world.sandbox.network();
  process.onDeath(() => void inner.shutdown());
  return {
    name: 'sandbox',
    officialUrl: async () => PLATFORM,
    open(order, receive) {
      const line = inner.open(order, (event) => process.deliver(() => receive(event)));
      return new Proxy(line, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...asked: unknown[]) => effectOf(world, process, name, () => member.apply(target, asked));
        },
      });
    },
    shutdown: () => inner.shutdown(),
  };
}

function effectOf(world: World, process: Process, name: string | symbol, ask: () => unknown): unknown {
  const dies = process.diesAt('effect');
  if (dies) world.history.note(`${process.name} dies ${dies} it asks the network to ${String(name)}`);
  if (dies === 'before') process.kill();
  if (process.isKilled) return ANSWERED.has(name) ? Promise.reject(new Dead('dead')) : undefined;
  const answer = ask();
  if (dies) process.kill();
  return answer instanceof Promise ? process.gate(answer) : answer;
}

/** Returns the connection to the files that all nodes share. */
export function filesOf({ files }: World, process: Process): MediaBytes {
  const place = (tenantId: string, blob: string): string => `${tenantId}/${blob}`;
  return {
    async write(tenantId, blob, source) {
      const parts: Uint8Array[] = [];
      for await (const part of source) parts.push(part);
      if (!process.isKilled) files.set(place(tenantId, blob), Buffer.concat(parts));
    },
    async read(tenantId, blob) {
      const found = files.get(place(tenantId, blob));
      return found ? Readable.from([found]) : null;
    },
    async remove(tenantId, blob) {
      files.delete(place(tenantId, blob));
    },
    async list(after, limit) {
      return [...files.keys()]
        .sort()
        .filter((one) => after === null || one > after)
        .slice(0, limit);
    },
    async discard(one) {
      files.delete(one);
    },
  };
}

/** Returns the connection to the webhook receivers, which respond as the world decides. */
export function receiversOf(world: World, process: Process): Egress {
  return {
    check: async () => null,
    checkProxy: async () => null,
    dispatcher: new PlatformLine(world, process, new Receivers(world, process)),
    close: async () => {},
  };
}

class Receivers extends Dispatcher {
  readonly #world: World;
  readonly #process: Process;

  constructor(world: World, process: Process) {
    super();
    this.#world = world;
    this.#process = process;
  }

  override dispatch(asked: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const [world, process] = [this.#world, this.#process];
    let isOver = false;
    const abort = (): void => {
      isOver = true;
    };
    const controller: Dispatcher.DispatchController = {
      ...{ aborted: false, paused: false, reason: null, rawHeaders: [], rawTrailers: [] },
      ...{ abort, pause() {}, resume() {} },
    };
    handler.onRequestStart?.(controller, {});
    const url = `${String(asked.origin)}${asked.path}`;
    const text = String(asked.body);
    const answer = (how: string): void => {
      if (isOver) return;
      if (how === 'refuses' || how === 'lost') {
        const code = how === 'refuses' ? 'ECONNREFUSED' : 'UND_ERR_SOCKET';
        return handler.onResponseError?.(controller, Object.assign(new Error('socket'), { code }));
      }
      handler.onResponseStart?.(controller, how === 'ok' ? 200 : 500, {}, '');
      handler.onResponseEnd?.(controller, {});
    };
    world.time.after(world.travel('http'), () => {
      if (process.isKilled) return;
      const how = url === world.brokenHook ? 'fails' : world.receives();
      world.history.note(`a webhook is sent to ${url}, which ${how}`, false);
      if (how !== 'refuses') world.hooks.push({ url, body: JSON.parse(text), answered: how });
      if (how !== 'silent') world.time.after(world.travel('http'), () => process.deliver(() => answer(how)));
    });
    return true;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}
